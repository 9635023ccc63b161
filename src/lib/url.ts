/** Whether a text is an absolute http or https address without credentials. */
export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.hostname !== '' && url.username === '' && url.password === ''
}

/** Returns an address as people are shown it: in ASCII, so that no letter of a host passes for another one. */
export function shownUrl(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : (URL.parse(text)?.href ?? text)
}
