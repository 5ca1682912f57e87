import type { Visible } from '../../../host.ts'
import { isLegitimateJoiner } from './joiners.ts'

// Nearly all text is this, and the pattern below takes a while to compile.
const printable = /^[ -~]*$/

/**
 * What a terminal obeys or hides instead of showing: control characters (Cc), format characters (Cf: bidi overrides,
 * zero-width, tags), line and paragraph separators, private use, and whatever Unicode says to ignore (DI: variation
 * selectors, letters that are drawn as nothing, and what is kept free for more of these).
 */
const invisible = () => /[\u{e0020}-\u{e007f}]+|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Co}|\p{Cs}|\p{DI}|\u2800/gu

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  return character.length > 1 ? `\\u{${character.codePointAt(0)?.toString(16)}}` : `\\u${hex(character)}`
}

function hex(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0')
}

function replaceInvisible(text: string, spell: (character: string) => string): Visible {
  return composed(
    text.replace(invisible(), (found: string, at: number) =>
      // Nothing below belongs anywhere.
      found >= '\u180b' && isLegitimateJoiner(found, at, text) ? found : Array.from(found, spell).join(''),
    ),
  )
}

/**
 * Text from outside, safe to show: whatever a terminal would obey or hide is written out as an escape, line breaks
 * included, but for joiners and their like where they belong.
 */
export function visible(text: string): Visible {
  if (printable.test(text)) return composed(text)
  return replaceInvisible(text, (character) => short[character] ?? escaped(character))
}

/** Text of several lines, each of them safe to show. */
export function visibleLines(text: string, ending = '\n'): Visible {
  return joined(text.split(ending).map(visible), own`\n`)
}

/** JSON text, safe to show and still the same JSON: only the inside of strings can hold such characters. */
export function visibleJson(json: string): Visible {
  return replaceInvisible(json, (character) =>
    character === '\n' ? character : character.replace(/[\s\S]/g, (unit) => `\\u${hex(unit)}`),
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

/** Visible text that a library has joined, coloured or cut, which the compiler cannot know. */
export function composed(text: string): Visible {
  return text as Visible
}
