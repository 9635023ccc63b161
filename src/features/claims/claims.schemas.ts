import { type Static, Type } from 'typebox'
import { Choice, Email, Id, Nullable, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'

export const ClaimedParams = Strict({ id: Id('employer') })
export const ClaimParams = Strict({ id: Id('employer'), claim_id: Id('claim') })

export const claimMethods = ['dns', 'file', 'email'] as const

const claimProblems = ['not_found', 'mismatch', 'unreachable'] as const

export const ClaimSchema = Resource('Claim', {
  id: Type.String(),
  employer_id: Type.String({ description: 'The claimed company.' }),
  domain: Type.String({ description: 'The domain that the proof is about.' }),
  method: Choice(claimMethods),
  state: Choice(['pending', 'verified']),
  dns_record: Nullable(
    Strict(
      { name: Type.String(), type: Type.Literal('TXT'), value: Type.String() },
      { description: 'The record to create, if the method is `dns`.' },
    ),
  ),
  file: Nullable(
    Strict(
      { url: Type.String(), content: Type.String() },
      { description: 'The file to publish, if the method is `file`.' },
    ),
  ),
  problem: Nullable(
    Choice(
      claimProblems,
      'Why the last check failed. not_found: the record or file was not found, or the request has no token. mismatch: the record, file or token has the wrong content. unreachable: the DNS lookup or the request for the file failed.',
    ),
  ),
  checked_at: Nullable(Timestamp('Time of the last check.')),
  created_at: Timestamp(),
  expires_at: Timestamp('When the claim expires, unless it is verified.'),
})
export type Claim = Static<typeof ClaimSchema>

export const ClaimBody = Strict({
  method: Choice(claimMethods),
  email: Type.Optional({
    ...Email(),
    description:
      'Required for the method `email`: an email address at the domain, to which the service sends the token.',
  }),
})
export type ClaimBody = Static<typeof ClaimBody>

const token = Type.Optional(Text(1, 200, 'The token in the email.'))
export const VerificationBody = Strict({ token })
export const VerificationQuery = Type.Object({ token })
