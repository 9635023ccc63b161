/** The dashboard and alert rules use only metric and label names that `/metrics` provides. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { createStripeMetrics } from '../../src/features/stripe/stripe.metrics.ts'
import { registerSearchMetrics } from '../../src/search/engine/metrics.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { runTask } from '../support/tasks.ts'
import { dispatch, makeDelivery } from '../support/webhooks.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../../ops/${name}`, import.meta.url))
const PROMTOOL = '/usr/bin/promtool'
/** Labels and series that Prometheus itself adds. */
const TARGET_LABELS = ['job', 'instance']
const OWN_SERIES = ['up']

const board = useBoard()
let exposition = ''
/** Labels by sample name. */
const samples = new Map<string, Set<string>>()

beforeAll(async () => {
  await makeDelivery(board)
  await dispatch(board)
  await runTask(board, 'mail')
  await board.get('/metrics', ADMIN_KEY)
  exposition = (await board.get('/metrics', ADMIN_KEY)).text
  // This metric exists only with PAYMENTS=stripe.
  const ofStripe = new Registry()
  createStripeMetrics(ofStripe)
  exposition += await ofStripe.metrics()
  // These metrics exist only with SEARCH_URL.
  const ofSearch = new Registry()
  registerSearchMetrics(ofSearch, board)
  exposition += await ofSearch.metrics()
  for (const [, name, labels = ''] of exposition.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = samples.get(name!) ?? new Set()
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!)
    samples.set(name!, known)
  }
})

/** Returns an expression's metric names with their selectors' labels, and the labels that the expression groups by. */
function read(expression: string) {
  const unquoted = expression.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '')
  const grouped = [...unquoted.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)].flatMap(([, names]) =>
    names!.split(',').map((name) => name.trim()),
  )
  const bare = unquoted.replaceAll(/\b(?:by|without|on)\s*\([^)]*\)|\b(?:and|or|unless)\b/g, '')
  const picked = [...bare.matchAll(/\b([a-z]\w*)\b(?!\s*\()(?:\{([^}]*)\})?/g)].map(([, name, matchers = '']) => ({
    name: name!,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  }))
  return { picked, grouped }
}

function expectKnown(expression: string, shown: readonly string[] = []) {
  const { picked, grouped } = read(expression)
  expect(picked.length, expression).toBeGreaterThan(0)
  for (const { name, labels } of picked) {
    if (OWN_SERIES.includes(name)) continue
    expect([...samples.keys()], expression).toContain(name)
    for (const label of [...labels, ...grouped, ...shown]) {
      expect([...TARGET_LABELS, ...samples.get(name)!], `${label} of ${name} in ${expression}`).toContain(label)
    }
  }
}

test('the check finds the names and labels in an expression, and fails for unknown ones', () => {
  expect(read('sum by (le, a) (rate(x_total{b=~"5..",c!="d"}[5m])) > 0.5 * max(y{}) / z and z')).toEqual({
    picked: [
      { name: 'x_total', labels: ['b', 'c'] },
      { name: 'y', labels: [] },
      { name: 'z', labels: [] },
      { name: 'z', labels: [] },
    ],
    grouped: ['le', 'a'],
  })
  expect(() => expectKnown('sum(http_requests)')).toThrow()
  expect(() => expectKnown('sum by (color) (http_requests_total)')).toThrow()
})

describe('the dashboard', () => {
  interface Panel {
    type: string
    title: string
    targets?: { expr: string; legendFormat: string }[]
  }
  const dashboard = JSON.parse(readFileSync(fileOf('grafana/job-marketplace.json'), 'utf8')) as {
    panels: Panel[]
    templating: { list: { query: string; type: string }[] }
  }
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')

  test.each(panels.map((panel) => [panel.title, panel] as const))(
    'uses existing metrics: %s',
    (_title, { targets }) => {
      expect(targets!.length).toBeGreaterThan(0)
      for (const { expr, legendFormat } of targets!) {
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)
        expectKnown(expr, shown)
      }
    },
  )

  test('lists the instances of an existing series', () => {
    const queries = dashboard.templating.list.filter(({ type }) => type === 'query').map(({ query }) => query)
    expect(queries.length).toBe(1)
    const [, series] = /^label_values\((.+), instance\)$/.exec(queries[0]!)!
    expectKnown(series!)
  })
})

describe('the alert rules', () => {
  const text = readFileSync(fileOf('prometheus/alerts.yml'), 'utf8')
  const expressions = [...text.matchAll(/^ +expr: (.+)$/gm)].map(([, expression]) => expression!)

  test('are all covered by this test', () => {
    expect(expressions.length).toBe(text.match(/- alert:/g)!.length)
  })

  test.each(expressions)('use existing metrics: %s', (expression) => {
    expectKnown(expression)
  })

  test.runIf(existsSync(PROMTOOL))('are valid for Prometheus', async () => {
    const { stdout } = await promisify(execFile)(PROMTOOL, ['check', 'rules', fileOf('prometheus/alerts.yml')])
    expect(stdout).toContain(`SUCCESS: ${expressions.length} rules found`)
  })
})

test.runIf(existsSync(PROMTOOL))('Prometheus finds no problems in the metrics, except nodejs_ metrics', async () => {
  const checking = promisify(execFile)(PROMTOOL, ['check', 'metrics'])
  checking.child.stdin!.end(exposition)
  const complaints = await checking.then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
  // prom-client defines the names of the `nodejs_` metrics.
  expect(complaints.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'))).toEqual([])
})
