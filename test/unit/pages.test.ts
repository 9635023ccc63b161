/** The building blocks of pages, without a server: markup, forms and paths. */
import fc from 'fast-check'
import { parse } from 'node-html-parser'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { paragraphsOf } from '../../src/lib/paragraphs.ts'
import { Choice, Integer, Nullable, Strict, Text } from '../../src/lib/schema.ts'
import { dataTable, emptyState, withQuery } from '../../src/pages/components.ts'
import { actionKinds, nameOfAction } from '../../src/pages/desk.ts'
import { type FieldValue, Form, fieldFault, fieldId, formBody } from '../../src/pages/forms.ts'
import { attributes, html, jsonScript } from '../../src/pages/html.ts'
import { localPath } from '../../src/pages/local-path.ts'

describe('markup', () => {
  test('shows any text unchanged, between tags and in attributes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const markup = html`<p title="${text}"${attributes({ lang: text })}>${text}</p>`.toString()
        expect(markup.match(/[<>]/g)).toHaveLength(4)
        expect(markup.match(/"/g)).toHaveLength(4)
        expect(parse(markup).querySelector('p')!.textContent).toBe(text)
      }),
    )
  })

  test('keeps markup, joins lists and omits absent values', () => {
    const items = ['<a>', 1, null, undefined, false, html`<b>${'&'}</b>`] as const
    expect(html`<p>${items}</p>`.toString()).toBe('<p>&lt;a&gt;1<b>&amp;</b></p>')
    expect(attributes({ a: true, b: false, c: null, d: undefined, e: '"' }).toString()).toBe(' a e="&quot;"')
  })

  test('contains JSON that cannot end its script, and that parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('</script>', '<!--', '\u2028', ']]>'), (value, text) => {
        const markup = jsonScript('application/json', [value, text]).toString()
        expect(markup.match(/</g)).toHaveLength(2)
        const json = markup.slice(markup.indexOf('>') + 1, -'</script>'.length)
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify([value, text])))
      }),
    )
  })
})

const Body = Strict({
  title: Text(1, 200),
  headline: Nullable(Text(1, 200)),
  nickname: Type.Optional(Text(1, 50)),
  remote: Type.Boolean(),
  count: Type.Optional(Integer(0, 1_000_000)),
  level: Nullable(Choice(['a', 'b'])),
  lines: Nullable(Type.Array(Text(1, 500))),
  salary: Nullable(
    Strict(
      { min: Nullable(Integer(0, 10)), max: Nullable(Integer(0, 10)), currency: Type.String() },
      { 'x-some-of': ['min', 'max'] },
    ),
  ),
  questions: Type.Array(
    Strict({ label: Text(1, 50), required: Type.Boolean(), options: Type.Optional(Type.Array(Text(1, 9))) }),
  ),
})

const fieldsOf = (entries: [string, ...FieldValue[]][]) => new Map(entries.map(([name, ...values]) => [name, values]))

describe('a form', () => {
  test('becomes a body with the types of its schema', () => {
    const body = formBody(
      Body,
      fieldsOf([
        ['_csrf', 'x'],
        ['title', 'One\r\ntwo'],
        ['headline', ' '],
        ['nickname', ''],
        ['remote', 'false', 'true'],
        ['count', '1,250'],
        ['level', ''],
        ['lines[]', 'a\r\n\r\n b ', 'c'],
        ['salary[min]', '5'],
        ['salary[max]', ''],
        ['salary[currency]', 'EUR'],
        ['questions[10][label]', 'second'],
        ['questions[10][required]', 'false'],
        ['questions[2][label]', 'first'],
        ['questions[2][required]', 'false', 'true'],
        ['questions[2][options][]', 'x\ny'],
        ['questions[3][label]', ''],
        ['questions[3][required]', 'false'],
      ]),
    )
    expect(body).toEqual({
      title: 'One\ntwo',
      headline: null,
      remote: true,
      count: 1_250,
      level: null,
      lines: ['a', 'b', 'c'],
      salary: { min: 5, max: null, currency: 'EUR' },
      questions: [
        { label: 'first', required: true, options: ['x', 'y'] },
        { label: 'second', required: false },
      ],
    })
  })

  test('sets an incomplete nullable object to null, and keeps cleared required fields empty', () => {
    const body = formBody(
      Body,
      fieldsOf([
        ['title', ''],
        ['salary[min]', ''],
        ['salary[currency]', 'EUR'],
        ['count', 'many'],
      ]),
    )
    expect(body).toEqual({ title: '', salary: null, count: 'many' })
  })

  test('creates a plain object, and never changes `Object.prototype`, whatever the field names', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 20 }), (pairs) => {
        const body = formBody(Body, fieldsOf(pairs)) as object
        expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
        expect(({} as Record<string, unknown>).polluted).toBeUndefined()
      }),
    )
    const hostile = formBody(
      Body,
      fieldsOf([
        ['x[__proto__][polluted]', 'yes'],
        ['constructor[prototype][polluted]', 'yes'],
      ]),
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.keys(hostile as object)).toEqual(['x', 'constructor'])
  })

  test('shows a resource, and submits the same values without nulls', () => {
    const resource = {
      title: 'T',
      headline: null,
      remote: true,
      lines: ['a', 'b'],
      salary: { min: 1, max: null, currency: 'EUR' },
      questions: [{ label: 'q', required: false, options: ['x'] }],
    }
    const form = Form.of(resource)
    expect(form.value('salary[min]')).toBe('1')
    expect(form.values('lines[]')).toEqual(['a', 'b'])
    expect(form.count('questions')).toBe(1)
    const names = [
      'title',
      'headline',
      'remote',
      'lines[]',
      'salary[min]',
      'salary[max]',
      'salary[currency]',
      'questions[0][label]',
      'questions[0][required]',
      'questions[0][options][]',
    ]
    const sent = fieldsOf(names.map((name) => [name, ...form.values(name)]))
    expect(formBody(Body, sent)).toEqual({ ...resource, headline: undefined, salary: { min: 1, currency: 'EUR' } })
  })

  test('assigns errors to their fields', () => {
    const form = Form.sent(new Map(), [
      fieldFault('salary[min]', 'Too low.'),
      { pointer: '#/lines/3', code: 'too_long', detail: 'Line too long.' },
      { parameter: 'search', code: 'invalid_parameter', detail: 'Bad search.' },
    ])
    expect(form.faultsOf('salary[min]')).toEqual(['Too low.'])
    expect(form.faultsOf('salary[max]')).toEqual([])
    expect(form.faultsOf('lines[]')).toEqual(['Line too long.'])
    expect(form.faultsOf('search')).toEqual(['Bad search.'])
    expect([fieldId('lines[]'), fieldId('#/lines/3'), fieldId('#/questions/0/label')]).toEqual([
      'field-lines',
      'field-lines',
      fieldId('questions[0][label]'),
    ])
  })
})

describe('the controls of a form', () => {
  const form = Form.sent(new Map([['reason', ['<b>']]]), [fieldFault('reason', 'Too short.')])

  test('show the value, the hint and the errors, and reference the hint and the errors', () => {
    const markup = parse(
      form.field('reason', 'Reason', { hint: 'Be brief.', isRequired: true, maxlength: 5 }).toString(),
    )
    const input = markup.querySelector('input')!
    expect(input.attributes).toEqual({
      ...{ id: 'field-reason', name: 'reason', type: 'text', value: '<b>', required: '', maxlength: '5' },
      ...{ 'aria-describedby': 'field-reason-hint field-reason-fault', 'aria-invalid': 'true' },
    })
    expect(markup.querySelector('#field-reason-hint')!.text).toBe('Be brief.')
    expect(markup.querySelector('#field-reason-fault')!.text).toBe('Too short.')
    expect(form.summary()!.toString()).toContain('<a href="#field-reason">Too short.</a>')
  })

  test('offer options from a record or a list, and select the current value', () => {
    const present = Form.of({ kind: 'b' })
    const names = { a: 'First', b: 'Second' }
    const list = Object.entries(names).map(([value, text]) => ({ value, text }))
    const markup = present.select('kind', 'Kind', names).toString()
    expect(present.select('kind', 'Kind', list).toString()).toBe(markup)
    expect(markup).toContain('<option value="a">First</option><option value="b" selected>Second</option>')
    const radios = parse(present.choices('kind', 'Kind', names, { type: 'radio' }).toString()).querySelectorAll('input')
    expect(radios.map((radio) => radio.hasAttribute('checked'))).toEqual([false, true])
  })
})

describe('a table', () => {
  test('has one column per cell title, and labels each cell', () => {
    const rows = [{ name: 'A & B', jobs: 2 }]
    const markup = parse(
      dataTable('Companies', { rows, numbers: ['Jobs'] }, ({ name, jobs }) => ({ Name: name, Jobs: jobs })).toString(),
    )
    expect(markup.querySelectorAll('th').map((th) => th.text)).toEqual(['Name', 'Jobs'])
    const cells = markup.querySelectorAll('td')
    expect(cells.map((td) => [td.getAttribute('data-t'), td.text, td.getAttribute('class')])).toEqual([
      ['Name', 'A & B', undefined],
      ['Jobs', '2', 'num'],
    ])
  })

  test('without rows shows the empty state', () => {
    const empty = emptyState('Nothing yet')
    expect(dataTable('Companies', { rows: [], empty }, () => ({}))).toBe(empty)
  })
})

describe('a return path', () => {
  test.each(['/', '/jobs?search=a%20b', '/a//b', '/@x'])('may be %s', (path) => {
    expect(localPath(path)).toBe(path)
  })

  test.each([
    '',
    'jobs',
    '//x.example',
    '/\\x.example',
    '\\\\x',
    'https://x.example/',
    'javascript:alert(1)',
    '/a b',
    '/\n/x',
    '/\t/x',
    undefined,
  ])('must not be %j', (path) => expect(localPath(path)).toBeUndefined())

  test('stays on this host, for any input', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const path = localPath(`/${text}`)
        if (path !== undefined) expect(new URL(path, 'https://board.example').origin).toBe('https://board.example')
      }),
    )
  })
})

test('setting a parameter of a URL keeps the other parameters, except empty ones', () => {
  expect(withQuery('/jobs?a=1&page=2&b=', { page: 3 })).toBe('/jobs?a=1&page=3')
  expect(withQuery('/jobs?page=2', { page: null })).toBe('/jobs')
  expect(withQuery('/jobs', { skills: 'C++ & more' })).toBe('/jobs?skills=C%2B%2B+%26+more')
})

test('any number of empty lines separates paragraphs', () => {
  expect(paragraphsOf('\n a\nb\n \n\n\nc\n')).toEqual([[' a', 'b'], ['c']])
  expect(paragraphsOf('\n'.repeat(50_000))).toEqual([])
})

test('every action of operators has a description', () => {
  expect(actionKinds.filter((action) => nameOfAction(action) === action)).toEqual([])
  // Earlier releases recorded this action under another name.
  expect(nameOfAction('account.restore')).toBe(nameOfAction('account.resume'))
  expect(nameOfAction('unknown.action')).toBe('unknown.action')
})
