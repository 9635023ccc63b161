/** All columns with personal data, by table, for `docs/personal-data.md`. */
import type { PersonalColumns } from '../features/feature.ts'
import { features } from './features.ts'

/** Personal data in tables that belong to no feature. */
const core: Readonly<Record<string, PersonalColumns>> = {
  event: {
    columns: ['body'],
    purpose: 'notifies receivers of changes, with the names and email addresses of candidates',
    until: 'up to 31 days after the change, longer while a delivery is pending; after erasure, only the ID remains',
  },
  idempotent_answer: {
    columns: ['answer_sealed'],
    purpose: 'returns the same response to a repeated request; encrypted',
    until: 'a day after the request, or the account is closed',
  },
  mail: {
    columns: ['details', 'last_error', 'recipient_key'],
    purpose: 'stores queued emails, and the outcomes of sent and failed emails',
    until: '30 days after the outcome, or the account is closed',
  },
  operator_action: {
    columns: ['key_name', 'member_name', 'note', 'subject'],
    purpose: 'records the changes that admins make',
    until: '`RETENTION_ACTIVITY_DAYS` after the action; `note` earlier if the profile is erased',
  },
  rate_limit: {
    columns: ['subject'],
    purpose: 'limits the requests of one IP address, key or account',
    until: 'two minutes after the end of the window',
  },
  resume_content: {
    columns: ['bytes'],
    purpose: 'stores the file of a resume, unless a bucket stores it',
    until: 'as for the resume',
  },
  suppressed_address: {
    columns: ['address_hash'],
    purpose: 'records which email addresses have unsubscribed from all emails',
    until: 'the recipient allows emails again',
  },
  unconfirmed_email: {
    columns: ['address_hash'],
    purpose: 'limits the number of emails to an unconfirmed email address',
    until: 'a day after the email',
  },
}

export const personalColumns: Readonly<Record<string, PersonalColumns>> = Object.assign(
  {},
  core,
  ...features.map((feature) => feature.personalColumns),
)
