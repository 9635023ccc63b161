import { renderMarkdown } from '../../lib/markdown.ts'
import { namesOf, pickMembers } from '../../lib/members.ts'
import type { EmployerRow, OwnEmployerRow } from './employers.queries.ts'
import {
  type Employer,
  type EmployerDetail,
  EmployerDetailSchema,
  type EmployerProfile,
  EmployerProfileSchema,
  EmployerSchema,
} from './employers.schemas.ts'

const employerNames = namesOf(EmployerSchema.properties)
const detailNames = namesOf(EmployerDetailSchema.properties)
const profileNames = namesOf(EmployerProfileSchema.properties)

const withVerification = <Row extends EmployerRow>(row: Row) => ({ ...row, is_verified: row.verified_domain !== null })

export const presentEmployer = (row: EmployerRow): Employer => pickMembers(withVerification(row), employerNames)

const withHtml = <Row extends EmployerRow>(row: Row) => ({
  ...withVerification(row),
  description_html: row.description && renderMarkdown(row.description),
})

export const presentEmployerDetail = (row: EmployerRow): EmployerDetail => pickMembers(withHtml(row), detailNames)

export const presentEmployerProfile = (row: OwnEmployerRow): EmployerProfile =>
  pickMembers({ ...withHtml(row), email: row.email ?? '' }, profileNames)
