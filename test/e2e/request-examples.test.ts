/** Runs the examples of the API reference and of the guide, in TypeScript and Python. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { examplesOf } from '../../src/features/site/guide-examples.ts'
import { operationsOf } from '../../src/http/openapi-document.ts'
import type { AccountKind } from '../../src/lib/api-keys.ts'
import { newId } from '../../src/lib/ids.ts'
import { ADMIN_KEY, ORIGIN, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { png } from '../support/pictures.ts'
import { upload } from '../support/resumes.ts'

const board = useBoard()

/** Scripts that run all programs in one process, and write the last output line or the error of each program. */
const runners = {
  typescript: {
    extension: 'mts',
    command: [process.execPath, 'runner.mjs'],
    'runner.mjs': `
import { readFile, writeFile } from 'node:fs/promises'
const results = {}
for (const { name, file, key } of JSON.parse(await readFile('cases.json', 'utf8'))) {
  process.env.API_KEY = key
  results[name] = 'stored'
  console.log = (...values) => { results[name] = JSON.stringify(values).slice(1, 600) }
  await import('./' + file).catch((error) => { results[name] = String(error) })
}
await writeFile('results.json', JSON.stringify(results))`,
  },
  python: {
    extension: 'py',
    command: ['python3', 'runner.py'],
    'runner.py': `
import contextlib, io, json, os, urllib.error
results = {}
for case in json.load(open("cases.json", encoding="utf-8")):
    os.environ["API_KEY"] = case["key"]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(open(case["file"], encoding="utf-8").read(), case["file"], "exec"), {})
        results[case["name"]] = (printed.getvalue().splitlines() or ["stored"])[-1][:600]
    except urllib.error.HTTPError as error:
        results[case["name"]] = f"{error.code} {error.read()}"
    except Exception as error:
        results[case["name"]] = repr(error)
json.dump(results, open("results.json", "w"))`,
  },
}
type Language = keyof typeof runners

const hasPython = spawnSync('python3', ['--version']).status === 0

async function run(language: Language, cases: { name: string; source: string; key: string }[]) {
  const { extension, command, ...files } = runners[language]
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-examples-'))
  try {
    const listed = cases.map(({ name, key }, n) => ({ name, key, file: `example${n}.${extension}` }))
    const written = {
      ...Object.fromEntries(cases.map(({ source }, n) => [listed[n]!.file, source])),
      ...files,
      'cases.json': JSON.stringify(listed),
      'resume.pdf': pdf('Ada King'),
      'picture.png': png(40, 40),
      'cv.txt': 'Ada King\n',
    }
    for (const [name, content] of Object.entries(written)) await writeFile(join(folder, name), content)
    await promisify(execFile)(command[0]!, command.slice(1), { cwd: folder })
    const { size } = await stat(join(folder, 'download.pdf'))
    return { results: JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as Record<string, string>, size }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Examples that would delete the accounts of other examples, or change the currency of their payments. */
const ending = ['deleteEmployerProfile', 'deleteCandidateProfile', 'updateProduct']

/** The questions in the guide's job. */
const custom_questions = [
  { id: 'notice_weeks', label: 'Your notice period in weeks', type: 'number', required: true },
  { id: 'license', label: 'Are you licensed to drive?', type: 'boolean', required: false },
]

let guide: { [language in Language | 'curl']?: string }[]
beforeAll(() => {
  // Some examples contain dates that must be in the past for the test clock.
  board.clock.advance(365 * 86_400_000)
  const text = readFileSync(new URL('../../docs/guide.md', import.meta.url), 'utf8')
  const block = (language: string) => `\`\`\`${language}\\n([^]*?)\`\`\`\\n`
  const blocks = new RegExp(`${block('sh')}(?:\\n${block('ts')}\\n${block('python')})?`, 'g')
  guide = [...text.matchAll(blocks)].map(([, shell, typescript, python]) =>
    typescript === undefined ? (examplesOf(shell!) ?? {}) : { typescript, python: python! },
  )
})

test.each(['typescript', 'python'] as const)('the examples work in %s', async (language) => {
  if (language === 'python' && !hasPython) return
  const [employer, candidate] = [await board.employer(), await board.candidate()]
  const { key: integrator } = await board.employer()
  const reader = await board.candidate()
  const keys: Record<AccountKind, string> = {
    employer: employer.key,
    candidate: candidate.key,
    admin: ADMIN_KEY,
    integrator,
  }
  const [draft, job] = [await board.job(employer), await board.activeJob(employer, { custom_questions })]
  const resume = await upload(board, candidate)
  const ids: Record<string, string> = {
    deleteJob: draft.id,
    getJob: job.id,
    saveJob: job.id,
    downloadResume: resume.id,
  }

  const reference = operationsOf(board.contract.document)
    .filter(({ operationId }) => !ending.includes(operationId))
    // A stream has an example only for curl.
    .filter(({ 'x-codeSamples': samples }) => samples!.some(({ lang }) => lang === language))
    .map(({ operationId: name, 'x-codeSamples': samples, 'x-callers': callers = {} }) => ({
      name,
      key: keys[Object.keys(callers)[0] as AccountKind] ?? '',
      source: samples!
        .find(({ lang }) => lang === language)!
        .source.replaceAll(ORIGIN, board.address)
        .replaceAll(/[a-z]+_01k9z6q4x0e8wbmt5n7rhv2c3d/g, (id) => ids[name] ?? id),
    }))

  const values: Record<string, string> = {
    ...{ BASE: `${board.address}/v1`, KEY: employer.key, CANDIDATE: reader.key, OPERATOR: ADMIN_KEY, JOB: job.id },
    ...{
      PAYMENT: newId('payment'),
      APPLICATION: newId('application'),
      REPORT: newId('jobReport'),
      ALERT: newId('jobAlert'),
    },
  }
  const fromGuide = guide.flatMap((block, n) => {
    const source = block[language]
    if (source === undefined) return []
    const isAssigned = (name: string) => new RegExp(`^(?:const )?${name} = `, 'm').test(source)
    const before = Object.entries(values).filter(([name]) => !isAssigned(name))
    const assign = (name: string, value: string) => `${language === 'python' ? '' : 'const '}${name} = "${value}"\n`
    const assigned = source.replaceAll(/(\w+) = (['"])\w+_…\2/g, (_, name: string) => `${name} = "${values[name]}"`)
    return [
      { name: `block ${n}`, key: '', source: before.map(([name, value]) => assign(name, value)).join('') + assigned },
    ]
  })
  // The commands of two blocks cannot be translated.
  expect(guide.length - fromGuide.length).toBe(2)

  const { results, size } = await run(language, [...fromGuide, ...reference])
  const statuses = Object.fromEntries(Object.entries(results).map(([name, line]) => [name, line.slice(0, 3)]))
  expect(statuses).toMatchObject({
    ...{
      listJobs: '200',
      createJob: '201',
      uploadResume: '201',
      updateEmployerLogo: '200',
      deleteJob: '204',
      getJob: '200',
    },
    ...{ saveJob: '201', downloadResume: 'sto', getMe: '200', getBoard: '200' },
  })
  expect(size).toBeGreaterThan(100)
  // The examples contain made-up IDs, and some requests repeat others.
  const failed = Object.entries(results).filter(
    ([, line]) => !/^(?:"\w+",)?(?:20\d|404|409|stored)|^(?:first|again) 20|"status":404/.test(line),
  )
  expect(Object.fromEntries(failed)).toEqual({
    createPayment: expect.stringMatching(/^422.*no job with this ID/),
    decideDuplicates: expect.stringMatching(/^422.*does not exist/),
  })
})
