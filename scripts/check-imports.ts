/** Who may import whom in src/, part of `npm run lint`. The first rule that fits a file is its rule. */
import { globSync, readFileSync } from 'node:fs'
import { matchesGlob, posix } from 'node:path'

const ROOT = new URL('../', import.meta.url)

/** File to what it may import from src/; `type` before a target allows types only, `OWN` is the file's own folder. */
const rules: [file: string, targets: string[]][] = [
  ['src/lib/**', ['src/lib/**']],
  ['src/db/**', ['src/{lib,db}/**']],
  ['src/http/**', ['src/{lib,http}/**', 'type src/db/{database,idempotent-answers}.ts']],
  ['src/board/**', ['src/{lib,db,board}/**']],
  ['src/events/catalogue.ts', ['src/{lib,db,events}/**', 'src/features/*/*.schemas.ts']],
  ['src/events/**', ['src/{lib,db,events}/**']],
  ['src/background/**', ['src/{lib,db,background}/**']],
  ['src/mail/**', ['src/{lib,db,background,mail}/**']],
  ['src/delivery/**', ['src/{lib,db,background,delivery}/**']],
  ['src/files/**', ['src/{lib,db,background,files}/**']],
  ['src/geo/**', ['src/{lib,geo}/**']],
  ['src/pages/**', ['src/{lib,http,pages}/**', 'type src/db/{database,idempotent-answers}.ts']],
  ['src/demo/**', ['src/{lib,demo}/**']],
  ['src/features/*/index.ts', ['OWN/*']],
  [
    'src/features/feature.ts',
    ['type src/{lib,db,board,http,background,files,mail,pages}/**', 'type src/features/*/index.ts'],
  ],
  [
    'src/features/*/*.feature.ts',
    [
      'src/{lib,db,background,mail}/**',
      'FEATURES',
      'src/features/feature.ts',
      'src/files/store.ts',
      'src/http/authenticate.ts',
      'type src/board/*.ts',
    ],
  ],
  ['src/features/*/*.views.ts', ['src/lib/**', 'src/pages/**', 'FEATURES', 'type src/db/*.ts']],
  [
    'src/features/*/*.pages.ts',
    ['src/{lib,http,pages}/**', 'FEATURES', 'src/files/kinds.ts', 'type src/{board/*,db/*,files/store}.ts'],
  ],
  [
    'src/features/*/*.routes.ts',
    ['src/{lib,http}/**', 'FEATURES', 'src/files/kinds.ts', 'type src/{board/*,db/*,files/store}.ts'],
  ],
  ['src/features/events/*.schemas.ts', ['src/lib/**', 'src/events/{catalogue,samples}.ts', 'FEATURES']],
  ['src/features/events/*.present.ts', ['src/lib/**', 'type src/events/catalogue.ts', 'FEATURES']],
  ['src/features/*/*.schemas.ts', ['src/lib/**', 'src/geo/gazetteer.ts', 'FEATURES']],
  ['src/features/*/*.present.ts', ['src/lib/**', 'FEATURES', 'type src/db/*.ts']],
  [
    'src/features/*/*.tasks.ts',
    [
      'src/{lib,db}/**',
      'FEATURES',
      'src/events/outbox.ts',
      'src/mail/queue.ts',
      'src/files/*.ts',
      'src/geo/gazetteer.ts',
      'src/background/loop.ts',
    ],
  ],
  [
    'src/features/webhooks/webhooks.contract.ts',
    ['src/lib/**', 'type src/delivery/*.ts', 'type src/features/webhooks/webhooks.schedule.ts'],
  ],
  [
    'src/features/*/*.ts',
    [
      'src/{lib,db,board}/**',
      'FEATURES',
      'src/events/{outbox,personal-data}.ts',
      'src/mail/{addresses,queue}.ts',
      'src/files/*.ts',
      'src/geo/gazetteer.ts',
    ],
  ],
  ['src/main/features.ts', ['src/features/*/*.feature.ts', 'type src/features/feature.ts']],
  [
    'src/main/**',
    [
      'src/{lib,db,board,http,events,background,mail,delivery,files,geo,demo,pages,main}/**',
      'src/features/*/index.ts',
      'type src/features/feature.ts',
      'package.json',
    ],
  ],
]
const WITHOUT_SQL = 'src/features/*/*.{routes,pages,views,schemas,present}.ts'

const COMMENT = /^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const STATIC = /^\s*(?:import|export)\b(\s+type\b(?!\s+from))?(?:[^'"`;=]*?\bfrom)?\s*['"]([^'"\n]+)['"]/gm
const DYNAMIC = /\bimport\s*\(\s*(?:['"]([^'"]+)['"])?/g
const PROCESS = /\bprocess\s*(?:\?\.|\.|\[)\s*['"]?(?:env|exit)/

/** What is wrong with the imports of a file, one sentence each. */
function faultsOf(file: string, source: string): string[] {
  const text = source.replace(COMMENT, '')
  const targets = rules.find(([files]) => matchesGlob(file, files))?.[1]
  if (!targets) return ['no rule says what this file may import']
  const own = posix.dirname(file)
  const allowed = targets
    .flatMap((target) => (target === 'FEATURES' ? ['OWN/*', 'src/features/*/index.ts'] : [target]))
    .map((target) => target.replace('OWN', own))
  const imports = [...text.matchAll(STATIC)].map(([, type, name]) => ({ name, isType: type !== undefined }))
  for (const [, name] of text.matchAll(DYNAMIC)) imports.push({ name, isType: false })
  const faults = imports.flatMap(({ name, isType }) => {
    if (name === undefined) return ['imports something that is not written out']
    if (!name.startsWith('.')) {
      const isRefused = name === 'kysely' ? matchesGlob(file, WITHOUT_SQL) : /^(?:node:)?process$/.test(name)
      return isRefused ? [`must not import ${name}`] : []
    }
    const target = posix.join(own, name)
    const fits = (glob: string) => matchesGlob(target, isType ? glob.replace('type ', '') : glob)
    return allowed.some(fits) ? [] : [`must not import ${isType ? 'types of ' : ''}${target}`]
  })
  if (PROCESS.test(text) && !file.startsWith('src/main/')) faults.push('only src/main touches process.env and exits')
  return faults
}

// A line for each rule that breaks it: when one breaks nothing any more, the check itself fails.
const samples = readFileSync(new URL('check-imports.samples.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const faults = samples
  .map((sample) => sample.split(/ (.*)/, 2) as [file: string, line: string])
  .filter(([file, line]) => faultsOf(file, line).length === 0)
  .map(([file, line]) => `no rule fires for ${file}: ${line}`)
for (const found of globSync('src/**/*.ts', { cwd: ROOT })) {
  const file = found.replaceAll('\\', '/')
  faults.push(...faultsOf(file, readFileSync(new URL(file, ROOT), 'utf8')).map((fault) => `${file}: ${fault}`))
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
