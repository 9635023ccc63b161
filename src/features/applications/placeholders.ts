/** Placeholders in the texts of emails, such as `{{job.title}}`. */

export const placeholders = ['candidate.first_name', 'job.title', 'employer.name'] as const
type Placeholder = (typeof placeholders)[number]

const PLACEHOLDER = /\{\{([^{}]{0,60})\}\}/g

export const fillIn = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => values[name.trim() as Placeholder] ?? whole)

/** Returns the first unknown placeholder in a text, with its braces. */
export const unknownPlaceholderIn = (text: string): string | undefined =>
  [...text.matchAll(PLACEHOLDER)].find(([, name]) => !(placeholders as readonly string[]).includes(name!.trim()))?.[0]
