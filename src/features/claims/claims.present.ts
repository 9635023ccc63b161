import { namesOf, pickMembers } from '../../lib/members.ts'
import { fileOf, proofText, recordOf } from './claims.proofs.ts'
import type { ClaimRow } from './claims.queries.ts'
import { type Claim, ClaimSchema } from './claims.schemas.ts'

const names = namesOf(ClaimSchema.properties)

export function presentClaim(secret: Uint8Array, row: ClaimRow): Claim {
  const text = proofText(secret, row)
  const derived: Pick<Claim, 'state' | 'dns_record' | 'file'> = {
    state: row.verified_at === null ? 'pending' : 'verified',
    dns_record: row.method === 'dns' ? { name: recordOf(row), type: 'TXT', value: text } : null,
    file: row.method === 'file' ? { url: fileOf(row), content: text } : null,
  }
  return pickMembers({ ...row, ...derived }, names)
}
