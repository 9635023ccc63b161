import type { EmployerRow } from './employers.queries.ts'
import type { Employer, EmployerProfile } from './employers.schemas.ts'

export function presentEmployer(row: EmployerRow): Employer {
  return {
    id: row.id,
    name: row.name,
    location: row.location,
    website: row.website,
    logo_url: row.logo_url,
    description: row.description,
    industry: row.industry,
    employee_count: row.employee_count,
    open_positions: row.open_positions,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Returns an employer's own profile, including private members. */
export function presentEmployerProfile(row: EmployerRow): EmployerProfile {
  return { ...presentEmployer(row), mail_on_application: row.mail_on_application }
}
