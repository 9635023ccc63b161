import { fileOf, proofText, recordOf } from './claims.proofs.ts'
import type { ClaimRow } from './claims.queries.ts'
import type { Claim } from './claims.schemas.ts'

export function presentClaim(secret: Uint8Array, row: ClaimRow): Claim {
  const { id, employer_id, domain, method, problem, checked_at, created_at, expires_at, verified_at } = row
  const text = proofText(secret, row)
  return {
    ...{ id, employer_id, domain, method },
    state: verified_at === null ? 'pending' : 'verified',
    dns_record: method === 'dns' ? { name: recordOf(row), type: 'TXT', value: text } : null,
    file: method === 'file' ? { url: fileOf(row), content: text } : null,
    problem,
    checked_at: checked_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }
}
