export type { OidcSettings } from './oidc.client.ts'
