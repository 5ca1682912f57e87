// What a terminal obeys or hides instead of showing: control characters (Cc), format characters (Cf: bidi overrides,
// zero-width, tags), line and paragraph separators, private use, and letters that are drawn as nothing.
const invisible =
  /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Co}|\p{Cs}|[\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]/gu

// Nearly all text is this, and the pattern above takes milliseconds to compile.
const printable = /^[ -~]*$/

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * Text from outside, safe to show: whatever a terminal would obey or hide is written out as an escape. All text that
 * is not ours passes here on its way to a person: cells, records, error messages, questions.
 */
export function visible(text: string): string {
  if (printable.test(text)) return text
  return text.replace(invisible, (character) => short[character] ?? escaped(character))
}

/** JSON text, safe to show and still the same JSON: only the inside of strings can hold such characters. */
export function visibleJson(json: string): string {
  return json.replace(invisible, (character) => {
    if (character === '\n') return character
    return Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
    }).join('')
  })
}
