/** Hands emails over to an SMTP server, or writes them to files if none is configured. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

export interface OutgoingMail {
  /** Determines the file name and the Message-ID. All attempts use the same ID. */
  id: string
  to: string
  subject: string
  text: string
  html: string
  language: string
  unsubscribeUrl: string | undefined
  date: Date
}

/**
 * The result of a delivery:
 * - sent: the mail server accepted the email, or the service wrote its file.
 * - refused: the server did not accept the email. If `isFinal` is true, the refusal is permanent.
 * - unreachable: the server could not be reached, or refuses all emails, for example because of a wrong password.
 * - unknown: the connection ended during the transfer, so the email may have arrived.
 */
export type Delivery =
  | { outcome: 'sent' }
  | { outcome: 'refused'; isFinal: boolean; detail: string }
  | { outcome: 'unreachable' | 'unknown'; detail: string }

export interface MailTransport {
  /** Whether delivering an email twice has the same effect as delivering it once. */
  isIdempotent: boolean
  /**
   * Delivers an email. `ending` aborts the delivery. If the transfer has not started by then, the result is
   * `unreachable`.
   */
  deliver(mail: OutgoingMail, ending?: AbortSignal): Promise<Delivery>
}

/** `Name <email address>`, only an email address, or the name and the email address. */
export type Sender = string | { name: string; address: string }

interface TransportOptions {
  /** SMTP URL with nodemailer's options as query parameters. Undefined: writes emails to files in `folder`. */
  url: string | undefined
  folder: string
  /** Returns the current sender. */
  from: () => Sender
  /** Host in the Message-ID. */
  host: string
}

export function createMailTransport({ url, folder, ...sender }: TransportOptions): MailTransport {
  return url === undefined ? fileTransport(folder, sender) : smtpTransport(url, sender)
}

type Origin = Pick<TransportOptions, 'from' | 'host'>

/**
 * Returns the value of the header Subject. nodemailer leaves text such as `=?utf-8?Q?=E2=80=AE?=` as it is, and email
 * programs would then decode characters that names cannot contain.
 */
const subjectHeader = (text: string) =>
  text.includes('=?') ? { prepared: true, foldLines: true, value: encodeWord(text, 'Q', 52) } : text

function compile(mail: OutgoingMail, { from, host }: Origin) {
  return new MailComposer({
    from: from(),
    to: { name: '', address: mail.to },
    text: mail.text,
    html: mail.html,
    date: mail.date,
    messageId: `<${mail.id}@${host}>`,
    headers: {
      Subject: subjectHeader(mail.subject),
      'Auto-Submitted': 'auto-generated',
      'Content-Language': mail.language,
      ...(mail.unsubscribeUrl !== undefined && {
        'List-Unsubscribe': { prepared: true, value: `<${mail.unsubscribeUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
}

function fileTransport(folder: string, sender: Origin): MailTransport {
  return {
    isIdempotent: true,
    async deliver(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const partial = join(folder, `.${mail.id}.${process.pid}.part`)
      await writeFile(partial, await compile(mail, sender).build(), { mode: 0o600 })
      await rename(partial, join(folder, `${mail.id}.eml`))
      return { outcome: 'sent' }
    },
  }
}

const CONNECT_MS = 10_000
/** Maximum time without data from the server, in milliseconds. */
const SILENCE_MS = 20_000
/** Maximum time to deliver one email, in milliseconds. */
export const DELIVERY_MS = 60_000

interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
}

type Callback = (error?: Error | null) => void

interface SmtpSettings {
  auth?: { user: string; pass: string }
}

const parseSmtpUrl = (url: string) => parseConnectionUrl(url) as SmtpSettings

/**
 * Connects, logs in if there are credentials, and runs `work`. `promise` settles when `work` ends or any step fails.
 */
function openSession({ auth, ...options }: SmtpSettings, work: (connection: SMTPConnection, done: Callback) => void) {
  const connection = new SMTPConnection({
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    ...options,
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const step = (next: () => void) => (error?: Error | null) => (error ? reject(error) : next())
  connection.on('error', reject)
  connection.on('end', () => reject(new Error('The connection was closed.')))
  const ready = () => work(connection, step(resolve))
  connection.connect(step(() => (auth ? connection.login({ ...auth, credentials: auth }, step(ready)) : ready())))
  return { connection, promise, reject }
}

/** Tests a mail server's connection and credentials without sending an email. */
export async function tryMailServer(url: string): Promise<void> {
  const { connection, promise } = openSession(parseSmtpUrl(url), (_connection, done) => done())
  await promise.finally(() => connection.close())
}

function smtpTransport(url: string, sender: Origin): MailTransport {
  // Parses the URL at startup, because an invalid URL must fail before the first email.
  const settings = parseSmtpUrl(url)
  return {
    isIdempotent: false,
    async deliver(mail, ending) {
      const message = compile(mail, sender)
      const bytes = await message.build()
      const envelope = message.getEnvelope() as { from: string; to: string[] }
      let isUnderWay = false
      // The connection reads this stream only after the server has requested the content.
      const content = new Readable({
        read() {
          isUnderWay = true
          this.push(bytes)
          this.push(null)
        },
      })
      const { connection, promise, reject } = openSession(settings, (session, done) =>
        session.send(envelope, content, done),
      )
      const timer = setTimeout(() => reject(new Error('The delivery took too long.')), DELIVERY_MS)
      const breakOff = () => reject(new Error('The process stopped during the delivery.'))
      if (ending?.aborted) breakOff()
      ending?.addEventListener('abort', breakOff)
      try {
        await promise
        connection.quit()
        return { outcome: 'sent' }
      } catch (error) {
        connection.close()
        return judge(error as SmtpError, isUnderWay)
      } finally {
        clearTimeout(timer)
        ending?.removeEventListener('abort', breakOff)
      }
    },
  }
}

function judge({ message, code, command, responseCode }: SmtpError, isUnderWay: boolean): Delivery {
  const detail = message.slice(0, 500)
  const isAboutThisMail = isUnderWay || command === 'RCPT TO' || command === 'DATA' || code === 'EENVELOPE'
  if (responseCode !== undefined && isAboutThisMail) {
    return { outcome: 'refused', isFinal: responseCode >= 500 && command !== 'MAIL FROM', detail }
  }
  if (isUnderWay) return { outcome: 'unknown', detail }
  if (isAboutThisMail) return { outcome: 'refused', isFinal: true, detail }
  // Either the connection failed, or the server rejects all of our emails, for example because of a wrong password.
  return { outcome: 'unreachable', detail }
}
