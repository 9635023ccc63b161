/** Fictional people, companies and jobs for previews of emails, in the current language. */
import { currentLocale } from '../locale/locale.ts'
import { t } from '../locale/messages.ts'

/** Replaces the IDs in sample links, which lead nowhere. */
export const SAMPLE_ID = 'sample'

/** Yearly salaries that are plausible in the currency of a country where the language is spoken. */
const salaries = {
  en: { currency: 'GBP', min: 38_000, max: 46_000 },
  de: { currency: 'EUR', min: 42_000, max: 51_000 },
  fr: { currency: 'EUR', min: 36_000, max: 44_000 },
  es: { currency: 'EUR', min: 28_000, max: 34_000 },
  ja: { currency: 'JPY', min: 4_200_000, max: 5_600_000 },
} as const

export const samples = () => ({
  person: t('mail.sample_person'),
  jobs: [
    { title: t('mail.sample_job'), company: t('mail.sample_company'), location: t('mail.sample_location') },
    { title: t('mail.sample_other_job'), company: t('mail.sample_other_company'), location: t('mail.sample_location') },
  ] as const,
  salary: { ...salaries[currentLocale().language], period: 'year' as const },
  product: t('mail.sample_product'),
  removalReason: t('mail.sample_removal_reason'),
})
