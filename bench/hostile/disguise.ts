/** Webhook URLs and names that disguise their destination or owner (C5). */
import { type Answer, type Attack, call, countStatuses, jobBody, newAddress, newJob, send } from './attack.ts'

const hosts = [
  ...['169.254.169.254', '168.63.129.16', '169.254.170.2', '100.100.100.200', '192.0.0.192', '161.26.0.6', '166.8.0.1'],
  ...['[fd00:ec2::254]', '[fd20:ce::254]', '[fe80::a9fe:a9fe]', '[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]'],
  ...['[2002:a9fe:a9fe::1]', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '①⑥⑨.254.169.254'],
  ...['127.0.0.1', '127.1', '0', '[::1]', '[::]', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '0x7f.1'],
  ...['localhost', 'a.localhost', 'metadata.google.internal', 'metadata.google.internal.', 'printer.local', 'db'],
]
const ports = [1, 22, 25, 80, 389, 445, 465, 587, 636, 993, 1_023]

/** Names with invisible, bidirectional or lookalike characters. */
const names = [
  ...['invoice\u202efdp.exe', 'a\u202db', 'a\u202bb\u202c', 'a\u2067b\u2069', 'Ac\u200bme', 'Ac\u200dme', 'Ac\ufeffme'],
  ...[
    'Ac\u00adme',
    'Ac\u2060me',
    'Ac\u3164me',
    'Acme\u{e0061}',
    'Ada\nUnsubscribe: https://evil.example',
    'Ada\u2029B',
  ],
  // The letters "А", "о" and "а" are Cyrillic.
  ...['Аcme', 'Gооgle GmbH', 'PаyPal'],
]
/** A host of Cyrillic letters that looks like apple.com. */
const DISGUISED = 'https://аррӏе.com/jobs'
const SHOWN = 'https://xn--80ak6aa92e.com/jobs'

const isRefused = (answers: readonly Answer[]) => answers.every(({ status }) => status === 422)

export const attacks: Attack[] = [
  {
    name: 'webhooks to metadata addresses, this machine and the ports of other services',
    finding: 'C5',
    async run(target) {
      const key = target.keys.employer
      const urls = [...hosts.map((host) => `https://${host}/`), ...ports.map((port) => `https://203.0.114.1:${port}/`)]
      const create = (url: string) =>
        send(target, 'POST', '/v1/webhooks', { key, body: { url, events: ['job.created'] } })
      const answers: Answer[] = []
      for (const url of urls) answers.push(await create(url))
      const taken = urls.filter((_, n) => answers[n]!.status !== 422)
      return {
        held: isRefused(answers),
        figures: `${countStatuses(answers)}${taken.length > 0 ? `; not refused: ${taken.slice(0, 5).join(' ')}` : ''}`,
      }
    },
  },
  {
    name: 'names with reversed, invisible or lookalike letters',
    finding: 'C5',
    async run(target) {
      const { employer, candidate } = target.keys
      const answers: Answer[] = []
      for (const name of names) {
        answers.push(
          await send(target, 'POST', '/v1/employers', { body: { name, email: newAddress() } }),
          await send(target, 'POST', '/v1/jobs', { key: employer, body: { ...jobBody, title: name } }),
          await send(target, 'PUT', '/v1/candidates/profile', { key: candidate, body: { first_name: name } }),
        )
      }
      const email = { name: 'A', email: 'ada@аррӏе.com' }
      answers.push(await send(target, 'POST', '/v1/employers', { body: email }))
      await call(target, 'PUT', '/v1/employers/profile', employer, { website: DISGUISED })
      const page = await send(target, 'GET', `/jobs/${await newJob(target, employer)}`)
      const { text } = page.status === 301 ? await send(target, 'GET', page.headers.get('location') ?? '/') : page
      const isShown = text.includes(`>${SHOWN}</a>`) && !text.includes(`>${DISGUISED}<`)
      return {
        held: isRefused(answers) && isShown,
        figures: `${countStatuses(answers)}; the page shows a Cyrillic host ${isShown ? 'in ASCII' : 'unchanged'}`,
      }
    },
  },
]
