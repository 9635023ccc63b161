import { namesOf, pickMembers } from '../../lib/members.ts'
import type { EmployerRow } from './employers.queries.ts'
import { type Employer, type EmployerProfile, EmployerProfileSchema, EmployerSchema } from './employers.schemas.ts'

const employerNames = namesOf(EmployerSchema.properties)
const profileNames = namesOf(EmployerProfileSchema.properties)

export const presentEmployer = (row: EmployerRow): Employer => pickMembers(row, employerNames)

export const presentEmployerProfile = (row: EmployerRow): EmployerProfile => pickMembers(row, profileNames)
