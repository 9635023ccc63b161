/** Checks the imports of modules in src/; part of `npm run lint`. The first rule that matches a file applies. */
import { globSync, readFileSync } from 'node:fs'
import { matchesGlob, posix } from 'node:path'

const ROOT = new URL('../', import.meta.url)

/**
 * Maps files to the modules of src/ that they may import. `type` before a target allows only types. `OWN` is the file's
 * folder, `PURE` is code without a database, a request or a clock, `FEATURES` is the file's own feature and the exports
 * of others, and `ROUTES` is what routes and pages may import.
 */
const rules: [file: string, targets: string[]][] = [
  ['src/lib/**', ['src/lib/**', 'type src/locale/{languages,messages}.ts']],
  ['src/locale/**', ['src/locale/**', 'locales/*.json']],
  ['src/search/text/**', ['src/lib/**', 'src/search/text/**']],
  ['src/search/filters.ts', ['PURE', 'src/search/**', 'src/lists/{radius,sql-page}.ts']],
  ['src/search/**', ['PURE', 'src/{db,search}/**']],
  ['src/lists/routes.ts', ['PURE', 'src/http/**']],
  ['src/lists/{sql-page,radius}.ts', ['PURE', 'src/{db,lists}/**']],
  ['src/lists/**', ['PURE']],
  ['src/db/**', ['PURE', 'src/db/**']],
  ['src/http/**', ['PURE', 'src/http/**', 'type src/db/{database,idempotent-answers}.ts']],
  ['src/events/catalogue.ts', ['PURE', 'src/{db,events}/**', 'src/features/*/*.schemas.ts']],
  ['src/events/**', ['PURE', 'src/{db,events}/**']],
  ['src/background/**', ['PURE', 'src/{db,background}/**']],
  ['src/mail/**', ['PURE', 'src/{db,background,mail}/**']],
  ['src/files/**', ['PURE', 'src/{db,background,files}/**']],
  ['src/geo/**', ['PURE', 'src/geo/**']],
  ['src/pages/**', ['PURE', 'src/{http,pages}/**', 'type src/db/{database,idempotent-answers}.ts']],
  ['src/demo/**', ['PURE', 'src/demo/**']],
  ['src/features/*/index.ts', ['OWN/*', 'OWN/*/*']],
  [
    'src/features/feature.ts',
    ['PURE', 'type src/{db,search,http,background,files,mail,pages}/**', 'type src/features/*/index.ts'],
  ],
  [
    'src/features/*/*.feature.ts',
    [
      'PURE',
      'FEATURES',
      'src/{db,background,mail}/**',
      'src/features/feature.ts',
      'src/files/store.ts',
      'src/http/authenticate.ts',
      'type src/search/memory/*.ts',
    ],
  ],
  ['src/features/*/*.sql.ts', ['PURE', 'src/db/**', 'src/lists/sql-page.ts']],
  ['src/features/*/*.views.ts', ['PURE', 'FEATURES', 'src/pages/**', 'src/geo/gazetteer.ts', 'type src/db/*.ts']],
  ['src/features/*/*.pages.ts', ['ROUTES', 'src/pages/**', 'src/geo/gazetteer.ts', 'type src/mail/previews.ts']],
  ['src/features/*/*.routes.ts', ['ROUTES']],
  ['src/features/events/*.schemas.ts', ['PURE', 'FEATURES', 'src/events/{catalogue,samples}.ts']],
  ['src/features/events/*.present.ts', ['PURE', 'FEATURES', 'type src/events/catalogue.ts']],
  ['src/features/*/*.schemas.ts', ['PURE', 'FEATURES', 'src/geo/gazetteer.ts', 'src/search/filters.ts']],
  ['src/features/*/*.present.ts', ['PURE', 'FEATURES', 'type src/db/*.ts']],
  [
    'src/features/*/*.tasks.ts',
    [
      'PURE',
      'FEATURES',
      'src/db/**',
      'src/lists/radius.ts',
      'src/events/outbox.ts',
      'src/mail/queue.ts',
      'src/files/*.ts',
      'src/geo/gazetteer.ts',
      'src/background/loop.ts',
    ],
  ],
  [
    'src/features/webhooks/webhooks.{contract,client,connections,guard,headers,signature}.ts',
    ['PURE', 'src/features/webhooks/webhooks.{client,connections,guard,headers,schedule,signature}.ts'],
  ],
  ['src/features/feeds/formats/**', ['PURE', 'src/features/feeds/formats/**']],
  [
    'src/features/feeds/feeds.postings.ts',
    ['PURE', 'FEATURES', 'src/features/feeds/formats/**', 'src/http/validation.ts'],
  ],
  [
    'src/features/*/*.ts',
    [
      'PURE',
      'FEATURES',
      'src/features/*/*.sql.ts',
      'src/{db,search}/**',
      'src/lists/{radius,sql-page}.ts',
      'src/events/{outbox,personal-data}.ts',
      'src/mail/{addresses,queue,samples}.ts',
      'src/files/*.ts',
      'src/geo/gazetteer.ts',
    ],
  ],
  ['src/main/cli.ts', ['src/{lib,db,commands,main}/**', 'src/features/feeds/formats/names.ts']],
  ['src/main/features.ts', ['src/features/*/*.feature.ts', 'type src/features/feature.ts']],
  [
    'src/commands/**',
    [
      'PURE',
      'src/{db,http,events,files,geo,demo,mail,commands,main}/**',
      'src/search/engine/*.ts',
      'src/features/*/index.ts',
      'package.json',
      'packages/client/src/index.ts',
    ],
  ],
  [
    'src/main/**',
    [
      'PURE',
      'src/{db,search,http,events,background,mail,files,geo,pages,main}/**',
      'src/features/*/index.ts',
      'type src/features/feature.ts',
      'package.json',
    ],
  ],
]
const PURE = [
  'src/lib/**',
  'src/locale/**',
  'src/search/text/**',
  'src/lists/{query,parameters,schema,meta,cursor,csv,whole-list}.ts',
]
const FEATURES = ['OWN/*', 'OWN/*/*', 'src/features/*/index.ts', 'type src/features/feature.ts']
/** Modules that routes and pages may import. */
const ROUTES = [
  ...[...PURE, ...FEATURES, 'src/http/**', 'src/lists/routes.ts', 'src/files/kinds.ts'],
  'type src/{search/memory/*,db/*,files/store}.ts',
]
const sets: Readonly<Record<string, string[]>> = { PURE, FEATURES, ROUTES }
const WITHOUT_SQL = 'src/features/*/*.{routes,pages,views,schemas,present}.ts'

const COMMENT = /^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const STATIC = /^\s*(?:import|export)\b(\s+type\b(?!\s+from))?(?:[^'"`;=]*?\bfrom)?\s*['"]([^'"\n]+)['"]/gm
const ONLY_TYPES = /\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?\s*,?)+\s*\}/
const DYNAMIC = /\bimport\s*\(\s*(?:['"]([^'"]+)['"])?/g
const PROCESS = /\bprocess\s*(?:\?\.|\.|\[)\s*['"]?(?:env|exit)/

/** Returns a message for each forbidden import in a file, and for forbidden uses of `process.env` or `process.exit`. */
function faultsOf(file: string, source: string): string[] {
  const text = source.replace(COMMENT, '')
  const targets = rules.find(([files]) => matchesGlob(file, files))?.[1]
  if (!targets) return ['no rule covers the imports of this file']
  const own = posix.dirname(file)
  const allowed = targets.flatMap((target) => sets[target] ?? [target]).map((target) => target.replace('OWN', own))
  const imports = [...text.matchAll(STATIC)].map(([, type, name]) => ({ name, isType: type !== undefined }))
  for (const [, name] of text.matchAll(DYNAMIC)) imports.push({ name, isType: false })
  const faults = imports.flatMap(({ name, isType }) => {
    if (name === undefined) return ['imports a module whose name is not a literal']
    if (!name.startsWith('.')) {
      const isRefused = name === 'kysely' ? matchesGlob(file, WITHOUT_SQL) : /^(?:node:)?process$/.test(name)
      return isRefused ? [`must not import ${name}`] : []
    }
    const target = posix.join(own, name)
    const fits = (glob: string) => matchesGlob(target, isType ? glob.replace('type ', '') : glob)
    return allowed.some(fits) ? [] : [`must not import ${isType ? 'types of ' : ''}${target}`]
  })
  if (PROCESS.test(text) && !/^src\/(?:main|commands)\//.test(file)) {
    faults.push('only src/main and src/commands may use process.env and process.exit')
  }
  return faults
}

/** Returns import cycles, one for each import that closes a cycle. */
function circles(): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void found.push([...path.slice(path.indexOf(file)), file])
    if (done.has(file)) return
    for (const target of loads.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of loads.keys()) visit(file, [])
  return found
}

// Each sample violates a rule. If no rule reports a sample, this check is broken.
const samples = readFileSync(new URL('check-imports.samples.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const faults = samples
  .map((sample) => sample.split(/ (.*)/, 2) as [file: string, line: string])
  .filter(([file, line]) => faultsOf(file, line).length === 0)
  .map(([file, line]) => `no rule reports the sample ${file}: ${line}`)
/** The modules that each module loads. Type imports load nothing. */
const loads = new Map<string, string[]>()
for (const found of globSync('src/**/*.ts', { cwd: ROOT })) {
  const file = found.replaceAll('\\', '/')
  const source = readFileSync(new URL(file, ROOT), 'utf8')
  faults.push(...faultsOf(file, source).map((fault) => `${file}: ${fault}`))
  const loaded = [...source.replace(COMMENT, '').matchAll(STATIC)]
    .filter(([line, type, name]) => !type && name!.startsWith('.') && !ONLY_TYPES.test(line))
    .map(([, , name]) => posix.join(posix.dirname(file), name!))
  loads.set(file, loaded)
}
faults.push(...circles().map((circle) => `circular import: ${circle.join(' → ')}`))
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
