/**
 * Converts form fields to an API request body according to its schema, and assigns faults in the body to the fields.
 *
 * Field names have formats such as `title`, `salary[min]`, `questions[0][label]` and `skills[]`. An empty field becomes
 * null if the schema allows null; otherwise, an optional member is omitted. A list of texts has one item per line, or
 * one item per field in fields such as `skills[0]`. If a field for a single value occurs twice, the later value counts:
 * a hidden "false" can therefore precede a checkbox.
 */
import { AppError, type BodyFault, type Fault } from '../lib/errors.ts'
import type { Language } from '../locale/languages.ts'
import { currentLocale } from '../locale/locale.ts'
import { t } from '../locale/messages.ts'
import { attributes, type Content, type Html, html } from './html.ts'
import { icon } from './icons.ts'

export type FieldValue = string | File
/** The fields of a form by name, each with its values in order. */
export type FormFields = ReadonlyMap<string, readonly FieldValue[]>

interface JsonSchema {
  type?: string | readonly string[]
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  'x-some-of'?: readonly string[]
  'x-only-with'?: { member: string; of: string; values: readonly unknown[] }
}

/** Prefix of fields that are not part of the body. */
const OWN = '_'
const DEPTH_MAX = 8
/** Maximum length of an email address, as in the API's schemas. */
const EMAIL_LENGTH_MAX = 254
/** Maximum number of lines in the fields of one list. Lists of texts allow 100 items. */
const LINES_MAX = 10_000

interface Node {
  values: FieldValue[]
  members: Map<string, Node>
}

const newNode = (): Node => ({ values: [], members: new Map() })

/** Splits `a[b][0]` into a, b and 0. Ignores a trailing `[]`. */
function pathOf(name: string): string[] {
  const [head = '', ...rest] = name.replace(/\[\]$/, '').split('[', DEPTH_MAX)
  return [head, ...rest.map((part) => part.replace(/\]$/, ''))]
}

function treeOf(fields: FormFields): Node {
  const root = newNode()
  for (const [name, values] of fields) {
    if (name.startsWith(OWN)) continue
    let node = root
    for (const part of pathOf(name)) {
      if (!node.members.has(part)) node.members.set(part, newNode())
      node = node.members.get(part)!
    }
    node.values.push(...values)
  }
  return root
}

/**
 * Returns the request body for a form's fields, with values converted to the types in the schema. Keeps values that it
 * cannot convert; validation reports them.
 */
export function formBody(schema: unknown, fields: FormFields): unknown {
  return convertObject(schema as JsonSchema, treeOf(fields)) ?? {}
}

const typesOf = ({ type }: JsonSchema) => [type ?? []].flat()

function convert(schema: JsonSchema, node: Node, isRequired: boolean): unknown {
  const types = typesOf(schema)
  if (types.includes('array')) return convertArray(schema, node)
  // Keeps the structure of an unknown member, because the fault must name it.
  const isUnknown = types.length === 0 && node.values.length === 0 && node.members.size > 0
  if (types.includes('object') || isUnknown) return convertObject(schema, node)
  const value = node.values.at(-1)
  if (value instanceof File) return value.size === 0 && value.name === '' ? undefined : value
  if (value === undefined) return undefined
  if (value.trim() === '') {
    if (types.includes('null')) return null
    return isRequired && types.includes('string') ? '' : undefined
  }
  if (types.includes('boolean') && /^(?:true|on|false)$/.test(value)) return value !== 'false'
  if (types.includes('integer')) return toInteger(value)
  if (types.includes('number')) return toNumber(value)
  return value.replaceAll('\r\n', '\n')
}

/** Languages with a decimal comma. */
const withComma: ReadonlySet<Language> = new Set(['de', 'fr', 'es'])

/** Converts the text of an integer field to a number, if possible. Accepts the language's thousands separators. */
function toInteger(text: string): number | string {
  const separator = withComma.has(currentLocale().language) ? /(?<=\d)\.(?=\d{3}(?!\d))/g : /(?<=\d),(?=\d{3}(?!\d))/g
  return parsed(text.replace(separator, '')) ?? text
}

/** Converts a number in the current language or in the API's format, if possible. Otherwise, returns the text. */
function toNumber(text: string): number | string {
  return (
    parsed(
      withComma.has(currentLocale().language) ? text.replace(',', '.') : text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, ''),
    ) ?? text
  )
}

/** Writes a number as people type it in the current language, such as `8,1` in German. */
export const decimalText = (text: string): string =>
  withComma.has(currentLocale().language) ? text.replace('.', ',') : text

function parsed(text: string): number | undefined {
  const bare = text.trim().replace(/(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))/g, '')
  return /^-?\d{1,15}(?:\.\d{1,10})?$/.test(bare) ? Number(bare) : undefined
}

function convertArray({ items = {} }: JsonSchema, node: Node): unknown[] {
  if (typesOf(items).includes('object')) {
    return [...node.members]
      .filter(([, member]) => !isEmpty(member))
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, member]) => convertObject(items, member))
  }
  const lines = node.values.flatMap((value): FieldValue[] =>
    value instanceof File ? [value] : value.split(/\r?\n/, LINES_MAX + 1),
  )
  if (lines.length > LINES_MAX) throw new AppError('payload_too_large')
  // Items in separate fields may contain line breaks.
  const own = [...node.members.values()].flatMap(({ values }) => values)
  return [...own, ...lines]
    .map((value) => (value instanceof File ? value : value.trim().replaceAll('\r\n', '\n')))
    .filter((value) => value !== '')
}

function convertObject(schema: JsonSchema, node: Node): Record<string, unknown> | null {
  const { properties = {}, required = [], additionalProperties } = schema
  const named = schema['x-some-of'] ?? [...node.members.keys()]
  const isAbsent = named.every((name) => !node.members.has(name) || isEmpty(node.members.get(name)!))
  if (isAbsent && typesOf(schema).includes('null')) return null
  const rest = typeof additionalProperties === 'object' ? additionalProperties : {}
  const entries = [...node.members]
    .map(([name, member]) => {
      const known = Object.hasOwn(properties, name) ? properties[name]! : rest
      return [name, convert(known, member, required.includes(name))] as const
    })
    .filter(([, value]) => value !== undefined)
  const body = Object.fromEntries(entries)
  // Ignores the lines of a list that does not apply, because the page hides it.
  const list = schema['x-only-with']
  if (list && body[list.member] !== undefined && !list.values.includes(body[list.of])) body[list.member] = []
  return body
}

function isEmpty({ values, members }: Node): boolean {
  const last = values.at(-1)
  const isBlank =
    last === undefined || (typeof last === 'string' ? last.trim() === '' || last === 'false' : last.size === 0)
  return isBlank && [...members.values()].every(isEmpty)
}

/** Removes the blank entries of a list and renumbers the others, as in the body. */
export function renumber(fields: FormFields, list: string): FormFields {
  const indexes = [...(treeOf(fields).members.get(list)?.members ?? [])]
    .filter(([, entry]) => !isEmpty(entry))
    .map(([index]) => index)
    .sort((a, b) => Number(a) - Number(b))
  const renamed = [...fields].flatMap(([name, values]): [string, readonly FieldValue[]][] => {
    if (!name.startsWith(`${list}[`)) return [[name, values]]
    const [, index = '', rest = ''] = /^\[([^\]]*)\](.*)$/s.exec(name.slice(list.length)) ?? []
    const number = indexes.indexOf(index)
    return number === -1 ? [] : [[`${list}[${number}]${rest}`, values]]
  })
  return new Map(renamed)
}

/** Returns the JSON pointer of a field's member, for example `#/salary/min` for `salary[min]`. */
function pointerOf(name: string): string {
  return `#/${pathOf(name).join('/')}`
}

/** Returns the element ID of a field, given its name or the pointer of a fault. */
export function fieldId(nameOrPointer: string): string {
  const isPointer = nameOrPointer.startsWith('#/')
  const path = isPointer ? nameOrPointer.slice(2).split('/') : pathOf(nameOrPointer)
  // A fault in one line belongs to the field of the whole list.
  while (isPointer && path.length > 1 && /^\d+$/.test(path.at(-1)!)) path.pop()
  return `field-${path.join('-').replace(/[^\w-]/g, '_')}`
}

/** Options of a control. The inherited members are attributes of its element. */
interface ControlOptions extends Attributes {
  hint?: Content
  /** If false, the label marks the field as optional. */
  isRequired?: boolean | undefined
}

type FieldOptions = ControlOptions & { type?: string }
type TextAreaOptions = ControlOptions & { rows?: number }

interface Attributes {
  [name: `aria-${string}` | `data-${string}`]: string | number
  accept?: string
  autocapitalize?: string
  autocomplete?: string
  enterkeyhint?: string
  inputmode?: string
  maxlength?: number
  min?: number
  minlength?: number
  pattern?: string
  placeholder?: string
  spellcheck?: string
  step?: string
}

export interface Option {
  value: string
  text: Content
}

/**
 * Options as a list, or as texts by value. Options with integer values must be a list, because JavaScript reorders
 * integer keys.
 */
type Options = readonly Option[] | Readonly<Record<string, string>>

/**
 * Returns an option for each value. `first` is the text of an additional first option with an empty value, which means
 * that nothing is selected.
 */
export function optionsFor<Value extends string>(
  values: Iterable<Value>,
  textOf: (value: Value) => Content,
  first?: string,
): Option[] {
  const options = Array.from(values, (value) => ({ value, text: textOf(value) }))
  return first === undefined ? options : [{ value: '', text: first }, ...options]
}

/** The values and faults of a form, and the controls that show them. The top of this file describes field names. */
export class Form {
  readonly #values: ReadonlyMap<string, readonly string[]>
  readonly faults: readonly Fault[]

  constructor(values: ReadonlyMap<string, readonly string[]>, faults: readonly Fault[] = []) {
    this.#values = values
    this.faults = faults
  }

  /** Returns a form with the values of a resource or a body, or an empty form. */
  static of(resource: object = {}): Form {
    const values = new Map<string, string[]>()
    const add = (name: string, value: unknown): void => {
      if (value === null || value === undefined) return
      if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
        const items = value.map(String)
        // If an item contains line breaks, it does not fit on one line. Each item then gets its own field.
        if (items.some((item) => item.includes('\n')))
          for (const [n, item] of items.entries()) values.set(`${name}[${n}]`, [item])
        else values.set(name, items)
      } else if (typeof value === 'object') {
        for (const [key, member] of Object.entries(value)) add(name === '' ? key : `${name}[${key}]`, member)
      } else values.set(name, [String(value)])
    }
    add('', resource)
    return new Form(values)
  }

  /** Returns a form with submitted values and their faults. */
  static sent(fields: FormFields, faults: readonly Fault[]): Form {
    const values = [...fields].map(([name, sent]): [string, string[]] => [
      name.replace(/\[\]$/, ''),
      sent.filter((value) => typeof value === 'string'),
    ])
    return new Form(new Map(values), faults)
  }

  /** Returns the values of a field, or an empty list. */
  values(name: string): readonly string[] {
    return this.#values.get(name.replace(/\[\]$/, '')) ?? []
  }

  /** Returns the last value of a field, or an empty string. */
  value(name: string): string {
    return this.values(name).at(-1) ?? ''
  }

  /** Returns how many fields have a value, not counting those in `except`. */
  filled(except: readonly string[]): number {
    return [...this.#values].filter(([name, values]) => !except.includes(name) && values.some((value) => value !== ''))
      .length
  }

  /** Returns the length of a list whose items have their own fields, such as `questions[0][…]` or `skills[0]`. */
  count(name: string): number {
    const indexes = [...this.#values.keys()]
      .filter((key) => key.startsWith(`${name}[`))
      .map((key) => Number.parseInt(key.slice(name.length + 1), 10))
    return Math.max(-1, ...indexes.filter((index) => index >= 0 && index < 1_000)) + 1
  }

  /** Returns the faults of a field or of one of its lines. */
  faultsOf(name: string): string[] {
    const pointer = pointerOf(name)
    const isHere = (fault: Fault) =>
      'parameter' in fault
        ? fault.parameter === name
        : fault.pointer === pointer ||
          (fault.pointer.startsWith(`${pointer}/`) && /^\d+$/.test(fault.pointer.slice(pointer.length + 1)))
    return this.faults.filter(isHere).map(({ detail }) => detail)
  }

  /** Renders a list of all faults, for display above the form. Each fault links to its field. */
  summary(): Html | undefined {
    const { faults } = this
    if (faults.length === 0) return undefined
    const items = faults.map((fault) => {
      // A fault in the whole body has no field to link to.
      if ('pointer' in fault && fault.pointer === '#') return html`<li>${fault.detail}</li>`
      const id = fieldId('parameter' in fault ? fault.parameter : fault.pointer)
      return html`<li><a href="#${id}">${fault.detail}</a></li>`
    })
    return html`<div class="faults" role="alert" tabindex="-1" data-focus>
<h2>${t('form.problems', { count: faults.length })}</h2>
<ul>${items}</ul></div>`
  }

  /** Renders a single-line field. */
  field(name: string, label: string, { hint, isRequired, type = 'text', ...more }: FieldOptions = {}): Html {
    const { id, aria, wrap } = this.#parts(name, { hint, isRequired })
    const value = type === 'password' || type === 'file' ? undefined : this.value(name)
    return wrap(
      label,
      html`<input${attributes({ id, name, type, value, required: isRequired === true, ...aria, ...more })}>`,
    )
  }

  /** Renders a field for an email address. */
  emailField(name: string, label: string, options: ControlOptions = {}): Html {
    return this.field(name, label, { type: 'email', ...options, maxlength: EMAIL_LENGTH_MAX })
  }

  /**
   * Renders a multi-line field. A list of texts is shown with one item per line, or with one field per item if items
   * contain line breaks.
   */
  textArea(name: string, label: string, options: TextAreaOptions = {}): Html {
    const bare = name.replace(/\[\]$/, '')
    const count = this.count(bare)
    if (count === 0) return this.#textArea(name, label, options)
    return html`<fieldset class="field"><legend>${label}${optional(options.isRequired)}</legend>
${Array.from({ length: count }, (_, n) => {
  const hint = n === 0 && t('form.clear_to_remove')
  return this.#textArea(`${bare}[${n}]`, t('form.numbered', { label, number: n + 1 }), { hint, rows: 3 })
})}
${this.#textArea(name, t('form.more'), { hint: t('form.one_per_line'), isRequired: false, rows: 3 })}</fieldset>`
  }

  #textArea(
    name: string,
    label: string,
    { hint, isRequired, rows = 5, ...more }: TextAreaOptions,
    around = (field: Html) => field,
  ): Html {
    const { id, aria, wrap } = this.#parts(name, { hint, isRequired })
    // Browsers ignore a line break directly after the opening tag, so this one does not belong to the value.
    const field = html`<textarea${attributes({ id, name, rows, required: isRequired === true, ...aria, ...more })}>
${this.values(name).join('\n')}</textarea>`
    return wrap(label, around(field))
  }

  /** Renders a field for Markdown, with a toolbar whose buttons need `markdown.js`. */
  markdownArea(name: string, label: string, options: TextAreaOptions): Html {
    return this.#textArea(
      name,
      label,
      options,
      (field) => html`<div class="editor">${renderToolbar(name)}${field}</div>`,
    )
  }

  /** Renders a drop-down list. The option with an empty value means that nothing is selected. */
  select(name: string, label: string, options: Options, { hint, isRequired, ...more }: ControlOptions = {}): Html {
    const { id, aria, wrap } = this.#parts(name, { hint, isRequired })
    const chosen = this.value(name)
    const listed = optionsOf(options).map(
      ({ value, text }) => html`<option${attributes({ value, selected: value === chosen })}>${text}</option>`,
    )
    return wrap(
      label,
      html`<select${attributes({ id, name, required: isRequired === true, ...aria, ...more })}>${listed}</select>`,
    )
  }

  /** Renders a checkbox. If the checkbox is not checked, the form sends false. */
  checkbox(name: string, label: string, hint?: Content): Html {
    const { id, aria, className, notes } = this.#parts(name, { hint })
    const checked = this.value(name) === 'true'
    return html`<div class="field check${className}">
<input type="hidden" name="${name}" value="false">
<input${attributes({ id, name, type: 'checkbox', value: 'true', checked, ...aria })}>
<label for="${id}">${label}</label>
${notes}</div>`
  }

  /** Renders checkboxes, or radio buttons with `type: 'radio'`. */
  choices(
    name: string,
    label: string,
    options: Options,
    { type = 'checkbox', ...more }: Pick<ControlOptions, 'hint' | 'isRequired'> & { type?: 'checkbox' | 'radio' } = {},
  ): Html {
    const { id, aria, className, notes } = this.#parts(name, more)
    const chosen = this.values(name)
    const required = type === 'radio' && more.isRequired === true
    const listed = optionsOf(options).map(({ value, text }, n) => {
      const own = n === 0 ? id : `${id}-${n}`
      const checked = chosen.includes(value)
      return html`<div class="check"><input${attributes({ id: own, type, name, value, checked, required })}><label for="${own}">${text}</label></div>`
    })
    return html`<fieldset class="field${className}"${attributes({ 'aria-describedby': aria['aria-describedby'] })}>
<legend>${label}${optional(more.isRequired)}</legend>
${notes}
${listed}</fieldset>`
  }

  /** Returns the parts that every control has: the hint, the faults, and the attributes that refer to them. */
  #parts(name: string, { hint, isRequired }: Pick<ControlOptions, 'hint' | 'isRequired'>) {
    const id = fieldId(name)
    const faults = this.faultsOf(name)
    const hasFault = faults.length > 0
    const ids = [...(hint ? [`${id}-hint`] : []), ...(hasFault ? [`${id}-fault`] : [])]
    const aria = {
      'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
      'aria-invalid': hasFault ? 'true' : undefined,
    }
    const className = hasFault && ' wrong'
    const notes = html`${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${hasFault && html`<p class="fault" id="${id}-fault">${faults.join(' ')}</p>`}`
    const wrap = (label: string, control: Html) => html`<div class="field${className}">
<label for="${id}">${label}${optional(isRequired)}</label>
${notes}
${control}</div>`
    return { id, aria, className, notes, wrap }
  }
}

/** Renders the toolbar, which is visible only with scripts. */
function renderToolbar(name: string): Html {
  const formats = {
    heading: [t('form.format_heading'), html`H`],
    bold: [t('form.format_bold'), html`<b>B</b>`],
    italic: [t('form.format_italic'), html`<i>I</i>`],
    list: [t('form.format_list'), icon('list')],
    numbers: [t('form.format_numbers'), icon('numbers')],
    link: [t('form.format_link'), icon('link')],
  } as const
  const label = t('form.formatting')
  const buttons = Object.entries(formats).map(
    ([value, [title, sign]]) =>
      html`<button type="button" value="${value}" title="${title}" aria-label="${title}"><span aria-hidden="true">${sign}</span></button>`,
  )
  return html`<div class="editor-bar scripted" role="toolbar" aria-label="${label}" aria-controls="${fieldId(name)}" data-formats>${buttons}</div>`
}

const optional = (isRequired: boolean | undefined) =>
  isRequired === false && html` <span class="opt">${t('form.optional')}</span>`

const isList = (options: Options): options is readonly Option[] => Array.isArray(options)

const optionsOf = (options: Options): readonly Option[] =>
  isList(options) ? options : Object.entries(options).map(([value, text]) => ({ value, text }))

/**
 * Returns the fault of a field, for a rule that its schema does not check. `text` is a sentence in the reader's
 * language.
 */
export function fieldFault(name: string, text: string, code = 'invalid'): BodyFault {
  return { pointer: pointerOf(name), code, detail: text, words: text }
}

/**
 * Returns faults for required fields that are empty. Without these faults, an update would omit the members and leave
 * them unchanged, although the user cleared the fields.
 */
export function emptyFaults(fields: FormFields, names: readonly string[]): BodyFault[] {
  const isEmptied = (name: string) => {
    const value = fields.get(name)?.at(-1)
    return typeof value === 'string' && value.trim() === ''
  }
  return names.filter(isEmptied).map((name) => ({
    pointer: pointerOf(name),
    code: 'too_short',
    detail: 'must not be empty',
    rule: { keyword: 'minLength', limit: 1 },
  }))
}
