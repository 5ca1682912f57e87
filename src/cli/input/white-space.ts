/**
 * White space and zero-width characters around text. Joiners (U+200C, U+200D) are not included, because words
 * of some scripts end with joiners.
 */
const surroundingSpace = /^[\s\x85\u180e\u200b\u2060]+|[\s\x85\u180e\u200b\u2060]+$/g

export function trimWhiteSpace(text: string): string {
  return isPrintable(text.charCodeAt(0)) && isPrintable(text.charCodeAt(text.length - 1))
    ? text
    : text.replace(surroundingSpace, '')
}

const isPrintable = (code: number) => code > 0x20 && code < 0x7f
