import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('listTasks', ({ board, status }) => {
  const path = '/v1/admin/tasks'
  const request = async () => ({ method: 'GET', path })

  status(200, () => {
    test('shows background tasks with their last rounds, except tasks that run in every process', async () => {
      await runTask(board, 'mail-purge')
      await runTask(board, 'task-health')
      const { data } = expectStatus(await board.get(path, ADMIN_KEY), 200).body
      const names = data.map(({ name }: { name: string }) => name)
      expect(names).toContain('webhooks')
      for (const own of ['board', 'desk', 'key-uses', 'task-runs']) expect(names).not.toContain(own)
      expect(data.find(({ name }: { name: string }) => name === 'mail-purge')).toEqual({
        ...{ name: 'mail-purge', every_seconds: 3_600, last_done_at: board.clock.now().toISOString() },
        ...{ last_failed_at: null, error: null, run: null },
      })
    })
  })

  status(304, () => answersNotModified(board, 'admin', request))
})
