/** Avoids `URL.canParse`, which rejects some valid URLs in Node 20 once V8 optimizes the call. */
export function isUrl(text: string): boolean {
  try {
    return Boolean(new URL(text))
  } catch {
    return false
  }
}
