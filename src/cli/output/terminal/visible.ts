import type { Visible } from '../../../host.ts'
import { isLegitimateJoiner } from './joiners.ts'

// Fast path: most texts are printable ASCII, and the pattern below is slow to compile.
const printable = /^[ -~]*$/

const invisible = () => /[\u{e0020}-\u{e007f}]+|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Co}|\p{Cs}|\p{DI}|\u2800/gu

const shortEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeCharacter(character: string): string {
  return character.length > 1 ? `\\u{${character.codePointAt(0)?.toString(16)}}` : `\\u${hex(character)}`
}

const hex = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0')

function replaceInvisible(text: string, spell: (character: string) => string): Visible {
  return markVisible(
    text.replace(invisible(), (found: string, at: number) =>
      // Legitimate joiners start at U+180B.
      found >= '\u180b' && isLegitimateJoiner(found, at, text) ? found : Array.from(found, spell).join(''),
    ),
  )
}

/** Escapes characters that a terminal interprets or hides, including line breaks. Keeps valid joiners. */
export function visible(text: string): Visible {
  if (printable.test(text)) return markVisible(text)
  return replaceInvisible(text, (character) => shortEscapes[character] ?? escapeCharacter(character))
}

export function visibleLines(text: string, ending = '\n'): Visible {
  return joinVisible(text.split(ending).map(visible), own`\n`)
}

/** Makes JSON text safe for a terminal without changing its value. */
export function visibleJson(json: string): Visible {
  return replaceInvisible(json, (character) =>
    character === '\n' ? character : character.replace(/[\s\S]/g, (unit) => `\\u${hex(unit)}`),
  )
}

/** Builds text from trusted literals, as in own`no ${noun}`. */
export function own(words: TemplateStringsArray, ...values: readonly (Visible | number)[]): Visible {
  return markVisible(String.raw({ raw: words }, ...values))
}

export function joinVisible(texts: readonly Visible[], between: Visible = own``): Visible {
  return markVisible(texts.join(between))
}

/** Casts without a check, for example after joining or coloring visible text. */
export const markVisible = (text: string): Visible => text as Visible
