// An independent definition of safe terminal output, so that a mistake in `visible` is not repeated here.

const esc = '\u001b'

/** Colors and weights of the program, and the codes that end them. */
const ourColours = [1, 2, 22, 31, 32, 33, 34, 35, 36, 39].map((code) => `${esc}[${code}m`)

/** Control sequences of prompts and progress. */
const ofPrompts = new RegExp(
  [
    String.raw`${esc}\[\?(?:25|7)[hl]`,
    String.raw`${esc}\[\d*[ABCDGK]`,
    String.raw`${esc}\[0?J`,
    `${esc}[78]`,
    '\r',
  ]
    .concat(String.raw`${esc}\[(?:0|1|2|22|3|23|3[1-6]|39|90)m`)
    .join('|'),
  'g',
)

/** Unsafe characters, such as control characters, except line feeds. */
const obeyed =
  /(?!\n)\p{Cc}|\p{Zl}|\p{Zp}|\p{Co}|\p{Cs}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]|[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/u

/** Invisible characters, such as joiners and tags, except in known sequences. */
const lost =
  /(?<![\p{L}\p{M}\p{ExtPict}\p{EMod}\u200c\u200d])[\u200c\u200d]|(?<![\p{ExtPict}#*\d])[\ufe0e\ufe0f]|(?<!\p{Unified_Ideograph})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|[\ufe03-\ufe0d]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}]|[\u{e0000}-\u{e001f}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]/u

/** Describes a harmful character of a text; undefined if there is none. */
export function harmIn(text: string, isPrompt = false): string | undefined {
  let bare = text
  if (isPrompt) bare = bare.replace(ofPrompts, '')
  else for (const colour of ourColours) bare = bare.replaceAll(colour, '')
  const found = obeyed.exec(bare) ?? lost.exec(bare)
  if (!found) return undefined
  return `${JSON.stringify(bare.slice(Math.max(0, found.index - 40), found.index + 40))}: U+${found[0].codePointAt(0)?.toString(16)}`
}

/** Pattern of stack traces, which appear only for bugs with --verbose. */
export const stack = /^\s+at .+:\d+:\d+\)?$|\bnode:internal\b/m

/** Documented exit codes, except 70 (a bug) and 129 (a closed terminal). */
export const designed = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 74, 130, 143])
