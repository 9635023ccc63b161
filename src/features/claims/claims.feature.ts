import { defineFeature } from '../feature.ts'
import { claimMails } from './claims.mails.ts'
import { registerClaimPages } from './claims.pages.ts'
import { registerClaims } from './claims.routes.ts'
import { ClaimSchema } from './claims.schemas.ts'

/** Proofs that a domain belongs to an employer. */
export const claims = defineFeature({
  name: 'claims',
  tag: 'Employers',
  schemas: [ClaimSchema],
  examples: {
    domain: 'voltaire.example',
    verified_domain: 'voltaire.example',
    'dns_record.name': '_job-marketplace.voltaire.example',
    'dns_record.value': 'job-marketplace-verification=YtqnZ0CCVjbzKKtWmGxgcw',
    'file.url': 'https://voltaire.example/.well-known/job-marketplace.txt',
    'file.content': 'job-marketplace-verification=YtqnZ0CCVjbzKKtWmGxgcw',
  },
  // Limits the lookups and requests that an account can cause.
  limits: { claims: { quota: 60, windowS: 3_600 } },
  async open(kit) {
    const secret = await kit.secretOf('claims')
    return {
      api: (v1) => registerClaims(v1, kit, secret),
      pages: (pages) => registerClaimPages(pages, kit, secret),
      mails: {
        'company-claim': claimMails(
          kit.linkTo('/employer/verification/:id', '/v1/employers/:id/claims'),
          kit.brand.now,
          secret,
        ),
      },
    }
  },
})
