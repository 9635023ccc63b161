/** Translates the curl commands of the documents into TypeScript and Python. */
import {
  type ExampleBody,
  type ExampleLanguage,
  type ExampleStep,
  renderExample,
  type Variables,
} from '../../lib/request-examples.ts'

/**
 * Returns an example in every language, from shell commands. Returns undefined if the commands contain anything other
 * than assignments and curl commands with the options that the documents use.
 */
export function examplesOf(shell: string): Record<ExampleLanguage, string> | undefined {
  const commands = wordsOf(shell)
  const steps = commands?.map(stepOf)
  if (!steps?.every((step) => step !== undefined)) return undefined
  const names = new Set([...shell.matchAll(/\$([A-Z]+)\b/g)].map(([, name]) => name!))
  const variables: Variables = Object.fromEntries([...names].map((name) => [name, 'local']))
  const write = (language: ExampleLanguage) => renderExample(language, steps, variables)
  return { curl: shell, typescript: write('typescript'), python: write('python') }
}

/** Shell syntax that the documents use only in scripts, which cannot be translated. */
const GRAMMAR = '|;&(){}`'

/** Splits commands into words. Returns undefined if they contain a character of `GRAMMAR` outside quotes. */
function wordsOf(shell: string): string[][] | undefined {
  const text = shell.trim().replaceAll('\\\n', ' ')
  const commands: string[][] = [[]]
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === quote) quote = ''
    else if (quote === "'") word += character
    else if (character === '\\' && (quote === '' || '"\\`$'.includes(text[at + 1] ?? ''))) {
      word = (word ?? '') + (text[++at] ?? '')
    } else if (quote === '"') word += character
    else if (character === "'" || character === '"') {
      quote = character
      word ??= ''
    } else if (character === ' ' || character === '\n') {
      if (word !== undefined) commands.at(-1)!.push(word)
      word = undefined
      if (character === '\n') commands.push([])
    } else if (GRAMMAR.includes(character)) return undefined
    else word = (word ?? '') + character
  }
  if (word !== undefined) commands.at(-1)!.push(word)
  return commands.filter((command) => command.length > 0)
}

/** Returns the example step for a command, or undefined if the command cannot be translated. */
function stepOf(words: readonly string[]): ExampleStep | undefined {
  const [, variable, value] = /^([A-Z]+)=([^$]*)$/.exec(words[0]!) ?? []
  if (words.length === 1 && variable !== undefined) return { variable, value: value! }
  if (words[0] !== 'curl') return undefined
  let method: string | undefined
  let url: string | undefined
  let body: ExampleBody | undefined
  let file: string | undefined
  const headers: Record<string, string> = {}
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!
    if (word === '-s') continue
    if (!word.startsWith('-')) {
      url = word
      continue
    }
    const argument = words[++at] ?? ''
    if (word === '-X') method = argument
    else if (word === '-o') file = argument
    else if (word === '-d') body = { kind: 'json', value: JSON.parse(argument) }
    else if (word === '--data-binary') body = { kind: 'file', file: argument.slice(1) }
    else if (word === '-F') {
      const [field = '', name = ''] = argument.split('=@')
      body = { kind: 'form', field, file: name }
    } else if (word === '-H') {
      const colon = argument.indexOf(': ')
      headers[argument.slice(0, colon)] = argument.slice(colon + 2)
    } else return undefined
  }
  if (url === undefined) return undefined
  const isEmpty = method === 'DELETE'
  return {
    ...{ method: method ?? (body ? 'POST' : 'GET'), url, headers },
    ...(body && { body }),
    ...(file !== undefined ? { answer: { file } } : isEmpty && { answer: 'none' }),
  }
}
