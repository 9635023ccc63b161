import { defineFeature } from '../feature.ts'
import { registerBrandPages } from './brand.pages.ts'
import { registerBrand, registerLogoFile } from './brand.routes.ts'
import { BoardPageSchema, BoardSchema } from './brand.schemas.ts'

/** The board's settings, logo and legal pages, which admins edit. */
export const brand = defineFeature({
  name: 'brand',
  tag: 'Board',
  isOptional: true,
  schemas: [BoardSchema, BoardPageSchema],
  examples: {
    'deleteBoardPage.slug': 'privacy',
    'getBoardPage.slug': 'privacy',
    'updateBoardPage.slug': 'privacy',
    tagline: 'Jobs in cars and code.',
    accent_color: '#0b6472',
    contact_email: 'hello@board.example',
    languages: ['en', 'de'],
    seller_name: 'Gearwright Ltd',
    seller_address: '1 Example Street\nLeeds LS1 1AA\nUnited Kingdom',
    seller_vat_id: 'GB123456789',
    vat_rate: 20,
    bank_account_name: 'Gearwright Ltd',
    bank_iban: 'GB33BUKB20201555555555',
    bank_bic: 'BUKBGB22XXX',
    bank_note: 'You can also pay by card over the phone.',
    default_language: 'en',
    default_currency: 'USD',
    language: 'en',
    'BoardPage.text': '## Who we are\n\nGearwright Ltd, 1 Example Street, Leeds',
    logo_url: 'https://board.example/board/logo/5d41402abc4b2a76.png',
    'Board.name': 'Gearwright',
    'Board.description': 'Jobs in cars and code, from workshop to software house.',
    'legal.slug': 'imprint',
    'legal.title': 'Imprint',
    'legal.url': 'https://board.example/pages/imprint',
    'BoardPage.slug': 'imprint',
    'BoardPage.title': 'Imprint',
  },
  navigation: [{ menu: 'desk', href: '/desk/board', text: 'menu.board', rank: 105, group: 'menu.setup' }],
  open: (kit) => ({
    api: (v1) => registerBrand(v1, kit),
    pages: (pages) => registerBrandPages(pages, kit),
    root: (root) => registerLogoFile(root, kit),
    refresh: () => kit.brand.refresh(),
  }),
})
