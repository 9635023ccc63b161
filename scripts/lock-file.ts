/**
 * Removes `engines` from platform-specific packages in the lock file. Part of `npm run format`; with --check, part of
 * `npm run lint`. These packages are optional dependencies, which npm skips if their `engines` exclude the Node that
 * runs npm. On Node 18, vitest's compiler would be missing, although vitest runs on the pinned Node.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { os?: unknown; engines?: unknown }> }
const restricted = Object.entries(lock.packages).filter(([, { os, engines }]) => os && engines)
if (process.argv.includes('--check')) {
  for (const [name] of restricted) console.error(`package-lock.json: ${name} has "engines". Run "npm run format".`)
  process.exitCode = Number(restricted.length > 0)
} else if (restricted.length > 0) {
  for (const [, entry] of restricted) delete entry.engines
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}
