/** Avoids `URL.canParse`, which rejects valid Latin-1 text in Node 20 once V8 optimizes the call. */
export function isUrl(text: string): boolean {
  try {
    return Boolean(new URL(text))
  } catch {
    return false
  }
}
