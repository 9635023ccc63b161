import { defineFeature } from '../feature.ts'
import { companyFinder, registerDeskCompanyPages } from './desk-companies.pages.ts'
import { registerEmployerPages } from './employers.pages.ts'
import { registerEmployers, registerPictureFiles } from './employers.routes.ts'
import {
  EmployerDetailSchema,
  EmployerProfileSchema,
  EmployerRegisteredSchema,
  EmployerSchema,
} from './employers.schemas.ts'

const companies = { href: '/companies', text: 'menu.companies', rank: 20 } as const

export const employers = defineFeature({
  name: 'employers',
  tag: 'Employers',
  personalColumns: {
    employer: {
      columns: ['billing_name', 'billing_address', 'vat_id'],
      purpose: 'the recipient of invoices',
      until: 'the employer changes it, or the account is closed',
    },
  },
  schemas: [EmployerDetailSchema, EmployerProfileSchema, EmployerRegisteredSchema, EmployerSchema],
  examples: {
    name: 'Voltaire Vans',
    company: 'Voltaire Vans',
    contact_email: 'jobs@voltaire.example',
    employee_count: 240,
    industry: 'Vehicle makers',
    cover_url: 'https://board.example/pictures/0cc175b9c0f1b6a831c399e269772661.webp',
    logo_url: 'https://voltaire.example/logo.png',
    website: 'https://voltaire.example',
    billing_name: 'Voltaire Vans Ltd',
    billing_address: '2 Example Road\nLeeds LS2 2BB\nUnited Kingdom',
    vat_id: 'GB987654321',
  },
  navigation: [
    { menu: 'visitor', ...companies },
    { menu: 'board', ...companies },
    { menu: 'footer', ...companies },
    { menu: 'desk', href: '/desk/companies', text: 'menu.companies', rank: 45 },
    { menu: 'employer', href: '/employer/profile', text: 'menu.company', rank: 50 },
  ],
  open: (kit) => ({
    deskFinder: companyFinder(kit),
    api: (v1) => registerEmployers(v1, kit),
    pages(pages) {
      registerEmployerPages(pages, kit)
      registerDeskCompanyPages(pages, kit)
    },
    root: (root) => registerPictureFiles(root, kit),
  }),
})
