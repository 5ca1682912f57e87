/**
 * White space of Unicode, and the characters without width that copying from web pages and spreadsheets adds. Joiners (U+200C,
 * U+200D) are left alone: words of some scripts end with them.
 */
const around = /^[\s\x85\u180e\u200b\u2060]+|[\s\x85\u180e\u200b\u2060]+$/g

/** A text without the white space around it; the same text where there is none. */
export function withoutSpaceAround(text: string): string {
  return isPlain(text.charCodeAt(0)) && isPlain(text.charCodeAt(text.length - 1))
    ? text
    : text.replace(around, '')
}

/** Most texts begin and end with such a character. */
const isPlain = (code: number) => code > 0x20 && code < 0x7f
