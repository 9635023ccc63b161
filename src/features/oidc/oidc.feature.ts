import { defineFeature } from '../feature.ts'
import { registerOidcPages } from './oidc.pages.ts'

/** Sign-in to the website with the operator's OpenID provider. */
export const oidc = defineFeature({
  name: 'oidc',
  isOptional: true,
  async open(kit) {
    const settings = kit.oidc
    if (!settings) return {}
    const secret = await kit.secretOf('oidc')
    return { pages: (pages) => registerOidcPages(pages, kit, settings, secret) }
  },
})
