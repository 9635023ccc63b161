import { describe, expect, test } from 'vitest'
import { demoBoard } from '../../src/demo/board.ts'
import { isLanguageTag, primaryLanguage } from '../../src/lib/language-tags.ts'
import { languageName } from '../../src/locale/formats.ts'
import { inLocale } from '../../src/locale/locale.ts'
import { detectLanguage } from '../../src/search/text/language.ts'

const detect = (title: string, description = '') => detectLanguage({ title, description })

describe('the language of a job', () => {
  test.each([
    ['en', 'Battery engineer', 'You will design the packs that our vans carry.'],
    ['de', 'Software Engineer', 'Wir suchen Sie für die Entwicklung unserer Steuergeräte.'],
    [
      'de',
      'Team Lead (m/w/d)',
      '## Was Sie tun\n- **Leitung** eines Teams mit zwölf Personen, das die Prüfstände betreut',
    ],
    ['fr', 'Data engineer', 'Vous développez les services qui pilotent nos bornes.'],
    ['es', 'Backend developer', 'Buscamos una persona para el equipo de datos.'],
    ['ja', 'Senior Software Engineer', 'カメラのデータを認識するsoftwareをC++で開発します。'],
    ['it', 'Meccanico', 'Cerchiamo una persona per la nostra officina, con esperienza di moto.'],
    ['nl', 'Monteur', 'Wij zoeken een monteur voor onze werkplaats in Utrecht.'],
    ['pt', 'Mecânico', 'Procuramos uma pessoa para a nossa oficina, com experiência em motos.'],
    ['pl', 'Mechanik', 'Szukamy osoby do pracy w naszym warsztacie, która zna się na silnikach.'],
    ['sv', 'Mekaniker', 'Vi söker en person till vår verkstad som kan laga motorer.'],
    ['da', 'Mekaniker', 'Vi søger en person til vores værksted, som kan reparere motorer og biler.'],
    ['ko', '백엔드 개발자', '자동차 서비스를 개발합니다.'],
    ['zh', '软件工程师', '我们正在寻找一位工程师。'],
    ['el', 'Μηχανικός', 'Αναζητούμε μηχανικό.'],
    ['und', 'Инженер', 'Мы ищем инженера.'],
  ])('is %s for %s', (expected, title, description) => {
    expect(detect(title, description)).toBe(expected)
  })

  test('is English if the text does not show another language', () => {
    expect(detect('DevOps')).toBe('en')
    expect(detect('')).toBe('en')
    expect(
      detect('Los Angeles, Las Vegas', 'Data, AWS, Python. https://board.example/los/las/de. Join us in LA or Vegas.'),
    ).toBe('en')
    expect(detect('🚀🚀', '😀')).toBe('en')
  })

  test('is detected correctly for the German, French, Spanish and Japanese jobs of the demo board', () => {
    const jobs = demoBoard.flatMap((employer) => employer.jobs.map((job) => ({ ...job, employer: employer.name })))
    const employers: Record<string, string> = {
      'Filderwerk Elektronik': 'de',
      'Alpsteg Mobilität': 'de',
      'Ateliers Rochebrune': 'fr',
      'Voltige Mobilités': 'fr',
      'Motores Montseny': 'es',
      'Ruta Norte Carga': 'es',
      矢作精機: 'ja',
      青葉モビリティ: 'ja',
    }
    for (const job of jobs) {
      const expected = employers[job.employer]
      if (expected) expect(detectLanguage(job), job.title).toBe(expected)
    }
    const counts = Object.groupBy(jobs, detectLanguage)
    expect(Object.keys(counts).sort()).toEqual(['de', 'en', 'es', 'fr', 'ja'])
    for (const language of ['de', 'es', 'fr', 'ja']) expect(counts[language]!.length).toBeGreaterThanOrEqual(6)
  })
})

test.each(['de', 'de-AT', 'zh-Hant-TW', 'es-419', 'sl-rozaj', 'de-1996', 'fil', 'EN-us'])(
  '%s is a language tag',
  (tag) => {
    expect(isLanguageTag(tag)).toBe(true)
    expect(Intl.getCanonicalLocales(tag)).toHaveLength(1)
  },
)

test.each(['', 'd', 'german', 'de_AT', 'de-', '-de', 'de-AT-', 'de at', 'x-own', `de${'-abcdefgh'.repeat(4)}`])(
  '%j is not a language tag',
  (tag) => {
    expect(isLanguageTag(tag)).toBe(false)
  },
)

test('a tag has a primary language and a name', () => {
  expect(['de', 'DE-at', 'zh-Hant-TW'].map(primaryLanguage)).toEqual(['de', 'de', 'zh'])
  expect(['de', 'ja', 'no tag'].map(languageName)).toEqual(['German', 'Japanese', 'no tag'])
  expect(inLocale({ language: 'fr', timeZone: 'UTC' }, () => languageName('de'))).toBe('allemand')
})
