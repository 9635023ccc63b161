/** Registers and signs in on the website with the links in emails. */
import type { Board } from './board.ts'
import { mailsIn } from './mails.ts'
import type { Page, Visitor } from './pages.ts'
import { runTask } from './tasks.ts'

/** Sends the pending emails and returns the sign-in links to this email address, oldest first. */
export async function signInLinks(board: Board, address: string): Promise<string[]> {
  const { publicOrigin } = board.config
  await runTask(board, 'mail')
  return (await mailsIn(board.config.dataDir))
    .filter(({ to }) => to?.some((each) => each.address === address))
    .flatMap(({ text }) => text!.split(/\s/).filter((word) => word.startsWith(`${publicOrigin}/sign-in/link?`)))
    .map((url) => url.slice(publicOrigin!.length))
}

/** Submits a registration form and uses the link in the email. Returns the next page. */
export async function registerOnPages(
  board: Board,
  guest: Visitor,
  path: string,
  fields: { email: string; [name: string]: string },
): Promise<Page> {
  await guest.submit(await guest.get(path), path.split('?')[0]!, fields)
  const link = (await signInLinks(board, fields.email)).at(-1)!
  return guest.submit(await guest.get(link), '/sign-in/link/use')
}
