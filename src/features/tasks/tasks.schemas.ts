import { type Static, Type } from 'typebox'
import { Choice, Nullable, Resource, Strict, Timestamp } from '../../lib/schema.ts'

export const TaskSchema = Resource('Task', {
  name: Type.String(),
  every_seconds: Type.Number({ description: 'Maximum pause between rounds, in seconds.' }),
  last_done_at: Nullable(Timestamp('When a round last succeeded, in any process.')),
  last_failed_at: Nullable(Timestamp('When a round last failed.')),
  error: Nullable(Type.String({ description: 'Error of the last failed round.' })),
  run: Nullable(
    Strict(
      {
        state: Choice(['waiting', 'running', 'done', 'failed'] as const),
        requested_at: Timestamp(),
        requested_by: Type.String({
          description: 'Name of the API key, or `Session` or `Command line` if the request used no key.',
        }),
        started_at: Nullable(Timestamp()),
        ended_at: Nullable(Timestamp()),
        error: Nullable(Type.String()),
      },
      { description: 'The latest requested run.' },
    ),
  ),
})
export type Task = Static<typeof TaskSchema>
