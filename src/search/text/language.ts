/**
 * Detects the language of a job by its script, or by counting the words that occur in nearly every sentence of a
 * language. A job has many sentences, so the counts differ clearly. Libraries need 100 MB of memory or 2 ms per job for
 * the same result (decision 0094).
 */

import { isAscii } from './fold.ts'

/** Frequent words of languages with Latin letters. A word may belong to more than one language. */
const frequent: Readonly<Record<string, string>> = {
  en: 'about all also an and are as at be both but by can every for from get has have how if in into is it its join looking may more must new no not of on or other our out over own so team that the their them these they this those through to up us want we well what when where which who will with within work working would you your',
  de: 'als am an auch auf aus bei bis das dass dazu dein deine dem den der deren des dich die dich dir du durch ein eine einem einen einer eines er es für gerne haben hast ihr ihre ihren im in ist kann können mehr mit nach nicht noch nur ob oder sein sich sie sind so sowie über um und uns unser unsere unseren unter vom von vor was wenn werden wie wir wird zu zum zur',
  fr: 'ainsi au aux avec ce ces cette chez dans de depuis des dont du elle en entre est et être il ils la le les leur leurs lui mais ne nos notre nous on ou où par pas plus pour que qui sa sans se ses si son sont sous sur tous tout toute un une vers vos votre vous',
  es: 'al ante como con cuando de del desde donde el en entre es esta este están hasta hay la las le les lo los más muy no nos nuestra nuestro nuestros o para pero por que quien se ser si sin sobre son su sus también te tener tu tus un una uno y ya',
  it: 'ad al alla alle anche che chi ci come con cui da dal dalla dei del della delle dello di ed gli ha il in la le lo ma nei nel nella non nostra nostro o per più presso se si sono sul sulla sua suo ti tra tu un una uno',
  nl: 'aan als bij dan dat de die dit door een en er geen het hij hoe hun in is je jij jou jouw kan maar met mee naar niet nog of om onder ons onze ook op over te tot uit van veel voor waar wat we wij wil worden wordt ze zich zijn',
  pt: 'ao aos as até com como da das de do dos e em entre esta está foi isso já mais mas mesmo muito na nas no nos nossa nosso não o os ou para pela pelas pelo por quando que quem se sem ser seu seus sua suas também tem um uma você',
  pl: 'ale być czy dla do i jak jako jest już lub ma na nad nasz nasze nie o od oraz po pod przez przy są się tak to tym u w we z za ze że',
  sv: 'alla att av bland blir de dem den det dig din ditt du då där eller en ett från för ha har hos hur i inom inte kan kommer med men mot någon och om på samt sig ska som så till under upp ut vad var vi vid vill vår våra vårt är',
  da: 'af alle at blandt bliver da de dem den der det dig din du eller en er et fra for ha har hos hvor i ikke kan med men mod nogle når og om på samt sig skal som til ud under vil ved vi vores være',
}

/** Scripts that identify a language. Kana come first, because Japanese also uses Han characters. */
const scripts: readonly (readonly [string, RegExp])[] = [
  ['ja', /[\p{scx=Hira}\p{scx=Kana}]/gu],
  ['ko', /\p{scx=Hang}/gu],
  ['zh', /\p{sc=Han}/gu],
  ['el', /\p{sc=Greek}/gu],
]
const LATIN = /\p{sc=Latin}/gu
const LETTER = /\p{L}/gu
/** Minimum share of a script in a text's letters. Kana are mixed with Han characters and English terms. */
const SCRIPT_SHARE = 0.1

/** The languages of each frequent word. */
const languagesOf = new Map<string, string[]>()
for (const [language, words] of Object.entries(frequent)) {
  for (const word of words.split(' ')) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language])
}

/** Maximum number of characters of a description to examine, about 90 words. */
const EXAMINED = 600
/** The language of texts without enough frequent words, such as a lone title. */
const FALLBACK = 'en'
/** The tag of an undetermined language, for texts in a script that is not listed. */
const UNDETERMINED = 'und'
/** Minimum number of distinct frequent words for any language but the fallback. Place names often contain one. */
const WORDS_MIN = 2

/** Word separators. Dots and slashes are not among them, because parts of URLs such as `.com` are not words. */
const SEPARATORS = /[\s,;:!?"'’()«»¿¡*_]+/

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

function languageOfScript(text: string): string | undefined {
  const letters = countOf(text, LETTER)
  const found = scripts.find(([, pattern]) => countOf(text, pattern) > letters * SCRIPT_SHARE)
  return found?.[0] ?? (countOf(text, LATIN) < letters / 2 ? UNDETERMINED : undefined)
}

/** Returns the language of a job as a tag, such as `de`. */
export function detectLanguage({ title, description }: { title: string; description: string }): string {
  const given = `${title}\n${description.slice(0, EXAMINED)}`
  const text = isAscii(given) ? given.toLowerCase() : given.normalize('NFC').toLowerCase()
  const ofScript = isAscii(text) ? undefined : languageOfScript(text)
  if (ofScript !== undefined) return ofScript
  const counts = new Map<string, number>()
  for (const token of new Set(text.split(SEPARATORS))) {
    const word = token.endsWith('.') ? token.slice(0, -1) : token
    for (const language of languagesOf.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  let [best, most] = [FALLBACK, Math.max(WORDS_MIN - 1, counts.get(FALLBACK) ?? 0)]
  for (const [language, count] of counts) if (count > most) [best, most] = [language, count]
  return best
}
