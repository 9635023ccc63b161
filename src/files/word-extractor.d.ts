declare module 'word-extractor' {
  interface WordDocument {
    getBody(): string
    getHeaders(): string
    getFootnotes(): string
    getTextboxes(): string
  }
  export default class WordExtractor {
    extract(source: Buffer): Promise<WordDocument>
  }
}
