/** Reads sent emails, and runs SMTP servers that can fail. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import type { Board } from './board.ts'
import { runTask } from './tasks.ts'

/** Creates a data folder for a test file. */
export function newDataFolder(): string {
  return mkdtempSync(join(tmpdir(), 'board-mails-'))
}

/** Returns the emails in a data folder, oldest first. */
export async function mailsIn(dataFolder: string): Promise<Email[]> {
  const folder = join(dataFolder, 'mail')
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'))
  return Promise.all(names.sort().map((name) => PostalMime.parse(readFileSync(join(folder, name)))))
}

/** Runs every task between a job's activation and the alert emails about the job. */
export async function runAlerts(board: Board): Promise<void> {
  for (const name of ['job-alerts-instant', 'job-alerts-due', 'mail']) await runTask(board, name)
}

/** Sends the pending emails and returns the newest email to an email address. */
export async function newestMailTo(board: Board, address: string): Promise<Email> {
  await runTask(board, 'mail')
  const mails = await mailsIn(board.config.dataDir)
  return mails.filter(({ to }) => to?.some((each) => each.address === address)).at(-1)!
}

/** Returns the language of an email's HTML. */
export const languageOf = ({ html }: Email) => /<html lang="(\w+)">/.exec(html!)![1]

export function headerOf(mail: Email, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name.toLowerCase())?.value
}

/** Returns the path of an email's unsubscribe link. */
export function unsubscribePath(mail: Email): string {
  return new URL(/^<(.+)>$/.exec(headerOf(mail, 'List-Unsubscribe')!)![1]!).pathname
}

export interface Received {
  to: string[]
  mail: Email
  bytes: Buffer
}

/** An SMTP server on loopback that keeps accepted emails. */
export class MailServer {
  readonly received: Received[] = []
  port = 0
  #server: SMTPServer | undefined

  /** Starts the server, on its previous port if it had one. */
  async start(options: SMTPServerOptions = {}): Promise<void> {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk) => chunks.push(chunk))
        stream.on('end', async () => {
          const bytes = Buffer.concat(chunks)
          const to = session.envelope.rcptTo.map(({ address }) => address)
          this.received.push({ to, mail: await PostalMime.parse(bytes), bytes })
          done()
        })
      },
      ...options,
    })
    // Ignores errors of clients that disconnect.
    this.#server.on('error', () => {})
    await new Promise<void>((resolve) => this.#server!.listen(this.port, '127.0.0.1', resolve))
    this.port = (this.#server.server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server?.close(resolve) ?? resolve())
  }

  async restart(options: SMTPServerOptions = {}): Promise<void> {
    await this.stop()
    await this.start(options)
  }
}

/** Starts an SMTP server for a file's tests. */
export async function useMailServer(): Promise<MailServer> {
  const server = new MailServer()
  await server.start()
  afterAll(() => server.stop())
  return server
}

/** Inserts an email to a candidate and returns its ID. By default, the email has failed. */
export async function failedEmail(board: Board, change: Record<string, unknown> = {}): Promise<string> {
  const account = await board.candidate()
  const id = newId('mail')
  const at = board.clock.now()
  const mail = { id, kind: 'sign-in', account_id: account.id, subject_id: account.id, details: '{}' }
  const end = { state: 'failed', attempts: 10, last_error: '550 No such mailbox', settled_at: at } as const
  await board.database.inTx((tx) =>
    tx
      .insertInto('mail')
      .values({ ...mail, ...end, due_at: at, created_at: at, ...change } as never)
      .execute(),
  )
  return id
}
