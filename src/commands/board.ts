/** Shows and changes the board's settings. */
import { commandLineActor } from '../features/accounts/index.ts'
import { BoardBody, type BoardSettings, getBrand, presentBoard, updateBoard } from '../features/brand/index.ts'
import { bodyValidator } from '../http/validation.ts'
import { unconditionally } from '../lib/entity-tags.ts'
import { AppError } from '../lib/errors.ts'
import type { Config } from '../main/config.ts'
import { settingsOf, UsageError, withDatabase } from './run.ts'

const boardSettings = (config: Config): BoardSettings => ({ ...settingsOf(config), hasWebsite: config.hasPages })

const print = (board: object) => console.log(JSON.stringify(board, null, 2))

const { properties } = BoardBody as unknown as { properties: Record<string, { type?: string | string[] }> }

type Setting = string | number | boolean | string[] | null

/** Converts a text to the setting's type. Lists are comma-separated. Validation reports texts that do not convert. */
function typedValueOf(name: string, text: string): Setting {
  if (text === '') return null
  const types = [properties[name]?.type ?? []].flat()
  if (types.includes('number') && /^\d+(\.\d+)?$/.test(text)) return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  return types.includes('array') ? text.split(',') : text
}

/** Returns the body for settings such as `tagline=Jobs in cars`. An empty value removes the setting. */
export function parseSettings(settings: readonly string[]): Record<string, Setting> {
  return Object.fromEntries(
    settings.map((setting) => {
      const at = setting.indexOf('=')
      if (at < 1) throw new UsageError(`Write each setting as name=value, not ${JSON.stringify(setting)}.`)
      const name = setting.slice(0, at)
      return [name, typedValueOf(name, setting.slice(at + 1))]
    }),
  )
}

export const runBoardShow = (): Promise<void> =>
  withDatabase(async (database, config) => print(presentBoard(await database.read(getBrand), boardSettings(config))))

export async function runBoardSet(given: readonly string[]): Promise<void> {
  const body = parseSettings(given)
  const faults = bodyValidator(BoardBody)(body)
  await withDatabase(async (database, config, clock) => {
    const settings = boardSettings(config)
    const change = { actor: commandLineActor, body, faults, settings, precondition: unconditionally, now: clock.now() }
    const brand = await database
      .inTx((tx) => updateBoard(tx, change))
      .catch((error: unknown) => {
        if (!(error instanceof AppError) || error.status !== 422) throw error
        throw new UsageError((error.options.errors ?? []).map(({ detail }) => detail).join('\n'))
      })
    print(presentBoard(brand, settings))
  })
}
