import { type Static, Type } from 'typebox'
import { Choice, Email, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'
import { languages } from '../../locale/languages.ts'

const ReturnTo = Type.Optional(Type.String({ maxLength: 2_048 }))

export const LinkRequestBody = Strict({ email: Email(), return_to: ReturnTo })
export const KeyBody = Strict({ api_key: Text(1, 256), return_to: ReturnTo })
export const LinkBody = Strict({ token: Text(1, 100), account_id: Type.Optional(Text(1, 100)), return_to: ReturnTo })

export const ChoiceBody = Strict({ account_id: Text(1, 100), return_to: ReturnTo })

export const ReturnBody = Strict({ return_to: ReturnTo })

export const EmailsBody = Strict({ mail_on_application: Type.Boolean() })
export const LanguageBody = Strict({ language: Type.Enum(languages) })

export const SignInQuery = Type.Object({ return_to: ReturnTo })
export const LinkQuery = Type.Object({ token: Type.Optional(Type.String({ maxLength: 100 })), return_to: ReturnTo })
export type LinkQuery = Static<typeof LinkQuery>

export const SessionSchema = Resource('Session', {
  id: Type.String(),
  begun_with: Choice(
    ['link', 'passkey', 'api_key'] as const,
    'link: by a link in an email, or through an OpenID provider. passkey: with a passkey. api_key: with an API key.',
  ),
  created_at: Timestamp(),
  last_seen_at: Timestamp('Accurate to five minutes.'),
  expires_at: Timestamp(),
})
export type Session = Static<typeof SessionSchema>

export const sessionList = {
  name: 'sessions',
  filters: { created_at: parameter.time('When the session began.') },
  sorts: { created_at: {}, last_seen_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
