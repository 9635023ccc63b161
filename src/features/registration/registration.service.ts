import type { Database, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { SettingTable } from '../../db/schema.ts'
import type { Actor } from '../../lib/scopes.ts'
import { findSetting, upsertSetting } from './registration.queries.ts'
import type { RegistrationChoice, RegistrationState } from './registration.schemas.ts'

/**
 * Tracks whether registration is open. The configuration determines this unless an operator has opened or closed
 * registration. Each process caches the setting and refreshes it from the database.
 */
export class Registration {
  readonly #database: Database
  readonly #isOpenAsConfigured: boolean
  /** Called when registration opens or closes, because cached pages show whether it is open. */
  readonly #onChange: () => void
  #setting: SettingTable | undefined

  constructor(database: Database, isOpenAsConfigured: boolean, onChange: () => void) {
    this.#database = database
    this.#isOpenAsConfigured = isOpenAsConfigured
    this.#onChange = onChange
  }

  get state(): RegistrationState {
    const choice = (this.#setting?.value ?? 'configured') as RegistrationChoice
    const { changed_at, changed_by } = this.#setting ?? {}
    return {
      choice,
      isOpen: choice === 'configured' ? this.#isOpenAsConfigured : choice === 'open',
      isOpenAsConfigured: this.#isOpenAsConfigured,
      changed: changed_at && changed_by !== undefined ? { at: changed_at.toISOString(), by: changed_by } : null,
    }
  }

  /** An arrow function, because callers pass it as a callback. */
  readonly isOpen = (): boolean => this.state.isOpen

  /** Reads the stored setting. Called at startup, once a second, and when the setting is shown or changed. */
  async refresh(): Promise<void> {
    const before = this.isOpen()
    this.#setting = await this.#database.read(findSetting)
    if (this.isOpen() !== before) this.#onChange()
  }

  /**
   * Opens or closes registration, or restores the configured state. The change applies immediately in this process and
   * within two seconds in others.
   */
  async choose(
    { inTx, actor, now }: { inTx: (work: (tx: Tx) => Promise<void>) => Promise<void>; actor: Actor; now: Date },
    choice: RegistrationChoice,
  ): Promise<void> {
    await inTx(async (tx) => {
      await upsertSetting(tx, { value: choice, changed_at: now, changed_by: actor.key.name })
      await noteOperatorAction(tx, actor, { action: 'registration.switch', subject: choice }, now)
    })
    await this.refresh()
  }
}
