import type { Visible } from '../../host.ts'

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
 * Text from outside, safe to show: whatever a terminal would obey or hide is written out as an escape, line breaks
 * included.
 */
export function visible(text: string): Visible {
  if (printable.test(text)) return composed(text)
  return composed(text.replace(invisible, (character) => short[character] ?? escaped(character)))
}

/** Text of several lines, each of them safe to show. */
export function visibleLines(text: string, ending = '\n'): Visible {
  return joined(text.split(ending).map(visible), own`\n`)
}

/** JSON text, safe to show and still the same JSON: only the inside of strings can hold such characters. */
export function visibleJson(json: string): Visible {
  return composed(
    json.replace(invisible, (character) => {
      if (character === '\n') return character
      return Array.from({ length: character.length }, (_, i) => {
        return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
      }).join('')
    }),
  )
}

/** Our own words, as in own`no ${noun}`. A value that has not been made visible does not compile. */
export function own(words: TemplateStringsArray, ...values: readonly (Visible | number)[]): Visible {
  return composed(String.raw({ raw: words }, ...values))
}

/** Visible texts one after the other. */
export function joined(texts: readonly Visible[], between: Visible = own``): Visible {
  return composed(texts.join(between))
}

/** Text that a library has put together, painted or cut, of visible text alone: the compiler cannot know. */
export function composed(text: string): Visible {
  return text as Visible
}
