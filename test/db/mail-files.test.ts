/**
 * Emails as files, without an SMTP server. Erasing a person deletes every email file that is addressed to the person or
 * contains the person's name.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { world } from '../support/applications.ts'
import { expectStatus, useBoard } from '../support/board.ts'
import { mailsIn, newDataFolder } from '../support/mails.ts'
import { runTask, taskOf } from '../support/tasks.ts'

const DATA_DIR = newDataFolder()
const folder = join(DATA_DIR, 'mail')
const board = useBoard({ DATA_DIR })
afterAll(() => rmSync(DATA_DIR, { recursive: true }))

test('erasing a person deletes only the emails to and about the person', async () => {
  const candidate = await board.candidate({ first_name: 'Wilhelmina', last_name: 'Oxenstierna' })
  const { employer, application } = await world(board, { candidate })
  const other = await world(board)
  for (const { employer: owner, application: made } of [{ employer, application }, other]) {
    expectStatus(await board.put(`/v1/employers/applications/${made.id}`, owner.key, { status: 'reviewed' }), 200)
  }
  await runTask(board, 'mail')
  await runTask(board, 'mail')
  const before = await mailsIn(DATA_DIR)
  expect(before.filter(({ text }) => text?.includes('Wilhelmina')).length).toBeGreaterThan(0)
  const some = readdirSync(folder).toSorted().at(-1)
  await runTask(board, 'mail-files')
  expect(await mailsIn(DATA_DIR)).toHaveLength(before.length)
  // Adds a dead process's partial file, a partial file of a write in progress, and an unrelated file.
  writeFileSync(join(folder, '.mail_01h455vb4pex5vsknk084sn02q.1.part'), 'Wilhelmina')
  writeFileSync(join(folder, `.${some!.slice(0, -4)}.1.part`), 'being written')
  writeFileSync(join(folder, 'notes.txt'), 'mine')

  const wake = taskOf(board, 'mail-files').wake!
  wake.reset()
  expectStatus(await board.delete('/v1/candidates/profile', candidate.key), 204)
  // The deletion wakes the task, which does not wait for its next interval.
  await wake.signaled
  await runTask(board, 'mail-files')
  const after = await mailsIn(DATA_DIR)
  expect(after.filter((mail) => JSON.stringify(mail).includes('Wilhelmina'))).toEqual([])
  const addresses = after.flatMap(({ to }) => to!.map(({ address }) => address))
  expect(addresses).toHaveLength(3)
  expect(addresses.filter((address) => address!.endsWith('@candidate.example'))).toHaveLength(2)
  expect(
    readdirSync(folder)
      .filter((name) => !name.endsWith('.eml'))
      .toSorted(),
  ).toEqual([`.${some!.slice(0, -4)}.1.part`, 'notes.txt'].toSorted())
})

test('files are deleted with their emails after 30 days, and a missing folder is not an error', async () => {
  board.clock.advance(31 * 86_400_000)
  await runTask(board, 'mail-purge')
  await runTask(board, 'mail-files')
  expect(await mailsIn(DATA_DIR)).toEqual([])
  rmSync(folder, { recursive: true })
  await runTask(board, 'mail-files')
  mkdirSync(folder)
})
