import { Parser } from 'htmlparser2'
import { BadDocument, type ForeignPosting, type Format, type Read, readOne } from './posting.ts'

/** The texts of an item's elements, in order, by the element's path within the item. */
export type XmlItem = ReadonlyMap<string, readonly string[]>

/** Maximum total length of the texts of one posting, and of the paths of its elements, in characters. */
const ITEM_LENGTH_MAX = 1_048_576

/**
 * Returns a format that reads XML as a stream, and passes the texts of each item's elements to `adapt`. The format
 * leaves entities other than XML's five unchanged. It refuses a document type declaration, because such a declaration
 * could define entities that expand without bounds or refer to files.
 */
export function xmlFormat(
  { root, item }: { root: string; item: string },
  adapt: (item: XmlItem) => ForeignPosting,
): Format {
  return {
    async *read(chunks) {
      let found: Read[] = []
      let members: Map<string, string[]> | undefined
      let length = 0
      let hasRoot = false
      let isComplete = false
      /** Where the latest opening tag ends. */
      let openedAt = -1
      const path: string[] = []
      /** The texts of each open element within an item. Undefined beyond the maximum length. */
      const open: (string[] | undefined)[] = []
      // Throwing stops the parser. Otherwise, it would read the rest of the chunk, whatever its depth.
      const fail = (code: BadDocument['code'], detail: string) => {
        throw new BadDocument(code, detail)
      }
      const parser = new Parser(
        {
          onprocessinginstruction(name) {
            if (name.toLowerCase() === '!doctype')
              fail('forbidden_markup', 'The document contains a document type declaration.')
          },
          onopentag(name) {
            openedAt = parser.endIndex
            if (path.length === 0) {
              if (hasRoot || name !== root)
                return fail('invalid_document', `The document must have one root element, <${root}>.`)
              hasRoot = true
            }
            path.push(name)
            if (path.length > 32) fail('invalid_document', 'The document is nested deeper than 32 levels.')
            if (path.length === 2 && name === item) {
              members = new Map()
              length = 0
            }
            if (!members || path.length < 3) return
            // Counts the paths, too. A posting could have millions of elements, and names of millions of characters.
            const own = path.slice(2)
            length += own.reduce((sum, part) => sum + part.length, own.length)
            let texts: string[] | undefined
            if (length <= ITEM_LENGTH_MAX) {
              const name = own.join('/')
              texts = members.get(name) ?? []
              texts.push('')
              members.set(name, texts)
            }
            open.push(texts)
          },
          ontext(text) {
            if (path.length === 0 && text.trim() !== '')
              fail('invalid_document', 'The document is not XML, or has text outside its root element.')
            // Joining the path again for each text would take too long for an element with a long name.
            const texts = open.at(-1)
            if (!texts) return
            length += text.length
            if (length <= ITEM_LENGTH_MAX) texts[texts.length - 1] += text
          },
          onclosetag(name, isImplied) {
            // The parser implies a closing tag at the end of a document, and where a closing tag does not match. It
            // also reports the end of a self-closing tag, such as `<salary/>`, as implied.
            const isSelfClosing = parser.endIndex === openedAt
            if (isImplied && !isSelfClosing) return fail('cut_document', `The element <${name}> is not closed.`)
            if (path.length === 2 && members) {
              found.push(readOne(members, adapt))
              members = undefined
            }
            open.pop()
            path.pop()
            if (path.length === 0) isComplete = true
          },
        },
        { xmlMode: true, recognizeSelfClosing: true },
      )
      const decoder = new TextDecoder('utf-8', { fatal: true })
      const decode = (chunk?: Uint8Array) => {
        try {
          return decoder.decode(chunk, { stream: chunk !== undefined })
        } catch {
          throw new BadDocument('invalid_document', 'The document is not valid UTF-8.')
        }
      }
      for await (const chunk of chunks) {
        parser.write(decode(chunk))
        const ready = found
        found = []
        yield* ready
      }
      parser.write(decode())
      parser.end()
      if (!isComplete) throw new BadDocument('cut_document', 'The document ends too early.')
      yield* found
    },
  }
}
