import { type Static, Type } from 'typebox'
import { Choice, Moment, Nullable, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

export const blockKinds = ['address', 'network', 'email_domain'] as const
export type BlockKind = (typeof blockKinds)[number]

const KIND =
  'address: one email address. email_domain: all email addresses at a domain and its subdomains. network: requests ' +
  'from an IP address or a range in CIDR notation.'

export const BlockSchema = Resource('Block', {
  id: Type.String(),
  kind: Choice(blockKinds, KIND),
  value: Type.String(),
  reason: Type.String(),
  created_at: Timestamp(),
  created_by: Type.String({
    description: 'Name of the key that created the block, or `Session` if the admin had signed in without a key.',
  }),
  expires_at: Nullable(Timestamp('Null if the block does not expire.')),
})
export type Block = Static<typeof BlockSchema>

export const BlockBody = Strict({
  kind: Choice(blockKinds, KIND),
  value: { ...Text(1, 254), example: 'jobs@spam.example' },
  reason: Text(1, 500, 'Visible only to admins.'),
  expires_at: Type.Optional(Nullable(Moment('Default: the block does not expire.'))),
})
export type BlockBody = Static<typeof BlockBody>

export const blockList = {
  name: 'blocks',
  filters: {
    kind: parameter.choice('Kind of block.', blockKinds),
    value: parameter.text('Blocked value, exactly as stored.', { suffixes: [] }),
    created_at: parameter.time('When the block was created.'),
  },
  sorts: { created_at: {}, value: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
