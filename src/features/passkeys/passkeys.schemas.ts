import { Type } from 'typebox'
import { Id, Strict, Text } from '../../lib/schema.ts'

/** The browser's response as JSON. Empty if the form was submitted without the script. */
const Credential = Type.String({ maxLength: 16_384 })

export const UseBody = Strict({
  credential: Credential,
  return_to: Type.Optional(Type.String({ maxLength: 2_048 })),
})
export const AdditionBody = Strict({ credential: Credential, name: Text(1, 60) })
export const PasskeyParams = Strict({ id: Id('passkey') })
