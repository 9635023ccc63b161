import { Choice, Strict } from '../../lib/schema.ts'

const registrationChoices = ['configured', 'open', 'closed'] as const
export type RegistrationChoice = (typeof registrationChoices)[number]

export const RegistrationBody = Strict({ registration: Choice(registrationChoices) })

export interface RegistrationState {
  choice: RegistrationChoice
  isOpen: boolean
  isOpenAsConfigured: boolean
  /**
   * Time of the last change, and the name of the API key used for it, or `Session` if the operator signed in without a
   * key. Null if the setting has never been changed.
   */
  changed: { at: string; by: string } | null
}
