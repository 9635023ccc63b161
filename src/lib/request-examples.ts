/** Renders requests as examples to copy: as curl commands, and as programs in TypeScript and Python. */

/** The languages of the examples and their display names, in display order. */
export const exampleLanguages = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const
export type ExampleLanguage = keyof typeof exampleLanguages

/** A request. Its texts can contain variables, such as `$API_KEY`. */
export interface ExampleRequest {
  method: string
  url: string
  headers?: Readonly<Record<string, string>>
  body?: ExampleBody
  /**
   * How the example handles the response body. Absent: prints it as JSON. Only examples for curl can print a stream.
   */
  answer?: { file: string } | 'none' | 'stream'
}

/** A body: JSON, the bytes of a file, or a form with one file. */
export type ExampleBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'file'; file: string }
  | { kind: 'form'; field: string; file: string }

/** The variables in the texts of examples: local variables or environment variables. */
export type Variables = Readonly<Record<string, 'local' | 'environment'>>

/** The variable that contains the API key in examples. */
const KEY = 'API_KEY'
export const keyVariables: Variables = { [KEY]: 'environment' }
export const keyHeader = { Authorization: `Bearer $${KEY}` }

/** A part of an example: a request, or the value of a local variable. */
export type ExampleStep = ExampleRequest | { variable: string; value: string }

/** Renders a command or a program that performs these steps. */
export function renderExample(language: ExampleLanguage, steps: readonly ExampleStep[], variables: Variables): string {
  return renderers[language](steps, variables)
}

const renderers: Record<ExampleLanguage, (steps: readonly ExampleStep[], variables: Variables) => string> = {
  curl: (steps, variables) =>
    steps.map((step) => ('variable' in step ? `${step.variable}=${step.value}` : curl(step, variables))).join('\n'),
  typescript: renderTypeScript,
  python: renderPython,
}

/** Divides a text into literal parts (even indexes) and names of variables (odd indexes). */
function partsOf(text: string, variables: Variables): string[] {
  const names = Object.keys(variables)
  return names.length === 0 ? [text] : text.split(new RegExp(`\\$(${names.join('|')})\\b`))
}

/** Maximum length of JSON that the curl command contains on one line, in characters. */
const ONE_LINE = 100

function curl({ method, url, headers = {}, body, answer }: ExampleRequest, variables: Variables): string {
  const quoted = (text: string) =>
    partsOf(text, variables).length === 1
      ? `'${text.replaceAll("'", "'\\''")}'`
      : `"${partsOf(text, variables)
          .map((part, n) => (n % 2 === 1 ? `$${part}` : part.replaceAll(/[\\"`$]/g, '\\$&')))
          .join('')}"`
  const json = body?.kind === 'json' ? JSON.stringify(body.value) : ''
  const content = body?.kind === 'json' && json.length > ONE_LINE ? JSON.stringify(body.value, null, 2) : json
  const lines = [
    `curl${answer === 'stream' ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body?.kind === 'json' ? [`-d ${quoted(content)}`] : []),
    ...(body?.kind === 'form' ? [`-F ${quoted(`${body.field}=@${body.file}`)}`] : []),
    ...(body?.kind === 'file' ? [`--data-binary ${quoted(`@${body.file}`)}`] : []),
    ...(typeof answer === 'object' ? [`-o ${quoted(answer.file)}`] : []),
  ]
  return lines.join(' \\\n  ')
}

/** How a programming language writes values. */
interface Dialect {
  text(parts: readonly string[]): string
  key(name: string, written: string): string
  constants: Readonly<Record<string, string>>
  /** Space inside the braces of an object on one line. */
  padding: string
  indent: string
}

const LINE_MAX = 100

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * Writes a value. `depth` is the indentation level of the line that contains it, and `before` the length of that line
 * up to the value.
 */
function written(value: unknown, dialect: Dialect, variables: Variables, { depth = 0, before = 0 } = {}): string {
  if (typeof value === 'string') return dialect.text(partsOf(value, variables))
  if (!isObject(value)) return dialect.constants[String(value)] ?? String(value)
  const isList = Array.isArray(value)
  const entries = isList ? value.map((each) => ['', each] as const) : Object.entries(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const { indent, padding } = dialect
  if (entries.length === 0) return open + close
  const items = entries.map(([name, each]) => {
    const key = isList ? '' : dialect.key(name, dialect.text([name]))
    return (
      key + written(each, dialect, variables, { depth: depth + 1, before: indent.length * (depth + 1) + key.length })
    )
  })
  const inside = isList ? '' : padding
  const line = `${open}${inside}${items.join(', ')}${inside}${close}`
  if (!line.includes('\n') && before + line.length < LINE_MAX) return line
  const margin = indent.repeat(depth)
  return `${open}\n${items.map((item) => `${margin}${indent}${item},\n`).join('')}${margin}${close}`
}

/** Returns the text, escaped as in JSON, without the quotes. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1)

function renderTypeScript(steps: readonly ExampleStep[], variables: Variables): string {
  // Joined from parts, because `scripts/check-imports.ts` would mistake the whole text for a use of the environment.
  const variable = (name: string) => (variables[name] === 'environment' ? ['process', 'env', name].join('.') : name)
  const plain = (text: string) => escaped(text).replaceAll('\\"', '"')
  const dialect: Dialect = {
    text(parts) {
      if (parts.length === 1) return `'${plain(parts[0]!).replaceAll("'", "\\'")}'`
      if (parts.length === 3 && parts[0] === '' && parts[2] === '') return variable(parts[1]!)
      const inside = parts.map((part, n) =>
        n % 2 === 1 ? `\${${variable(part)}}` : plain(part).replaceAll(/`|\$\{/g, '\\$&'),
      )
      return `\`${inside.join('')}\``
    },
    key: (name, text) => `${/^[A-Za-z_]\w*$/.test(name) ? name : text}: `,
    constants: {},
    padding: ' ',
    indent: '  ',
  }
  const write = (value: unknown, depth = 0, before = 0) => written(value, dialect, variables, { depth, before })
  const requests = steps.filter((step) => 'url' in step)
  const files = new Set<string>()
  const blocks = steps.map((step) => {
    if ('variable' in step) return `const ${step.variable} = ${write(step.value)}`
    const { method, url, headers = {}, body, answer } = step
    const lines: string[] = []
    if (body && body.kind !== 'json') files.add('readFile')
    if (body?.kind === 'form') {
      lines.push(
        `${requests.length > 1 ? 'let form' : 'const form'} = new FormData()`,
        `form.append(${write(body.field)}, new Blob([await readFile(${write(body.file)})]), ${write(body.file)})`,
      )
    }
    const content = !body
      ? undefined
      : body.kind === 'json'
        ? `JSON.stringify(${write(body.value, 1, 25)})`
        : body.kind === 'form'
          ? 'form'
          : `await readFile(${write(body.file)})`
    const members = [
      ...(method === 'GET' ? [] : [`method: ${write(method)}`]),
      ...(Object.keys(headers).length === 0 ? [] : [`headers: ${write(headers, 1, 12)}`]),
      ...(content === undefined ? [] : [`body: ${content}`]),
    ]
    const declared = requests.length === 1 ? 'const ' : step === requests[0] ? 'let ' : ''
    const options = members.length === 0 ? '' : `, {\n${members.map((member) => `  ${member},\n`).join('')}}`
    lines.push(`${declared}response = await fetch(${write(url)}${options})`)
    if (answer === 'none') lines.push('console.log(response.status)')
    else if (typeof answer === 'object') {
      files.add('writeFile')
      lines.push(
        'if (!response.ok) throw new Error(await response.text())',
        `await writeFile(${write(answer.file)}, await response.bytes())`,
      )
    } else lines.push('console.log(response.status, await response.json())')
    return lines.join('\n')
  })
  const imports = files.size === 0 ? [] : [`import { ${[...files].sort().join(', ')} } from 'node:fs/promises'`]
  return joined(imports, blocks, steps)
}

function renderPython(steps: readonly ExampleStep[], variables: Variables): string {
  const variable = (name: string) => (variables[name] === 'environment' ? `os.environ['${name}']` : name)
  const dialect: Dialect = {
    text(parts) {
      if (parts.length === 1) return JSON.stringify(parts[0])
      if (parts.length === 3 && parts[0] === '' && parts[2] === '') return variable(parts[1]!)
      const inside = parts.map((part, n) =>
        n % 2 === 1 ? `{${variable(part)}}` : escaped(part).replaceAll(/[{}]/g, '$&$&'),
      )
      return `f"${inside.join('')}"`
    },
    key: (_name, text) => `${text}: `,
    constants: { true: 'True', false: 'False', null: 'None' },
    padding: '',
    indent: '    ',
  }
  const write = (value: unknown, depth = 0, before = 0) => written(value, dialect, variables, { depth, before })
  const modules = new Set<string>()
  const from = new Set<string>()
  const blocks = steps.map((step) => {
    if ('variable' in step) return `${step.variable} = ${write(step.value)}`
    from.add('from urllib.request import Request, urlopen')
    const { method, url, headers = {}, body, answer } = step
    const usesEnvironment = [url, ...Object.values(headers)].some((text) =>
      partsOf(text, variables).some((part, n) => n % 2 === 1 && variables[part] === 'environment'),
    )
    if (usesEnvironment) modules.add('os')
    const lines: string[] = []
    const sent: Record<string, string> = { ...headers }
    let content: string | undefined
    if (body?.kind === 'json') {
      modules.add('json')
      content = `json.dumps(${write(body.value, 1, 25)}).encode()`
    } else if (body) {
      from.add('from pathlib import Path')
      content = `Path(${write(body.file)}).read_bytes()`
    }
    if (body?.kind === 'form') {
      const head = `Content-Disposition: form-data; name="${body.field}"; filename="${body.file}"`
      lines.push(
        `head = ${JSON.stringify(`--boundary\r\n${head}\r\n\r\n`)}`,
        `form = head.encode() + ${content} + ${JSON.stringify('\r\n--boundary--\r\n')}.encode()`,
      )
      content = 'form'
      sent['Content-Type'] = 'multipart/form-data; boundary=boundary'
    }
    // By default, urllib sends GET without data, and POST with data.
    const members = [
      ...(method === (content === undefined ? 'GET' : 'POST') ? [] : [`method=${write(method)}`]),
      ...(Object.keys(sent).length === 0 ? [] : [`headers=${write(sent, 1, 12)}`]),
      ...(content === undefined ? [] : [`data=${content}`]),
    ]
    const call = `request = Request(${[write(url), ...members].join(', ')})`
    const isShort = !call.includes('\n') && call.length < LINE_MAX
    lines.push(
      isShort ? call : `request = Request(\n${[write(url), ...members].map((each) => `    ${each},\n`).join('')})`,
      'with urlopen(request) as response:',
    )
    if (answer === 'none') lines.push('    print(response.status)')
    else if (typeof answer === 'object') {
      from.add('from pathlib import Path')
      lines.push(`    Path(${write(answer.file)}).write_bytes(response.read())`)
    } else {
      modules.add('json')
      lines.push('    print(response.status, json.load(response))')
    }
    return lines.join('\n')
  })
  const imports = [...[...modules].sort().map((name) => `import ${name}`), ...[...from].sort()]
  return joined(imports, blocks, steps)
}

/**
 * Joins the parts of a program, with a blank line after the imports and between steps. No blank line separates
 * consecutive variables.
 */
function joined(imports: readonly string[], blocks: readonly string[], steps: readonly ExampleStep[]): string {
  const body = blocks.map((block, n) => {
    const isGrouped = n > 0 && 'variable' in steps[n]! && 'variable' in steps[n - 1]!
    return n === 0 ? block : `${isGrouped ? '\n' : '\n\n'}${block}`
  })
  return [...(imports.length > 0 ? [imports.join('\n'), '\n\n'] : []), ...body].join('')
}
