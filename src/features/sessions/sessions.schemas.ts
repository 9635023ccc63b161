import { type Static, Type } from 'typebox'
import { Email, Strict, Text } from '../../lib/schema.ts'

const ReturnTo = Type.Optional(Type.String({ maxLength: 2_048 }))

export const LinkRequestBody = Strict({ email: Email(), return_to: ReturnTo })
export const KeyBody = Strict({ api_key: Text(1, 256), return_to: ReturnTo })
export const LinkBody = Strict({ token: Text(1, 100), return_to: ReturnTo })

export const ReturnBody = Strict({ return_to: ReturnTo })

export const SignInQuery = Type.Object({ return_to: ReturnTo })
export const LinkQuery = Type.Object({ token: Type.Optional(Type.String({ maxLength: 100 })), return_to: ReturnTo })
export type LinkQuery = Static<typeof LinkQuery>
