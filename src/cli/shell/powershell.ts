import type { Visible } from '../../host.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { Candidate } from './candidates.ts'

const decode = (text: string) => Buffer.from(text, 'base64').toString('utf8')

export interface PowerShellLine {
  /** Words after the program name. The last word is at the cursor. */
  words: readonly string[]
  /** Word at the cursor, as written with its quotes. */
  current: string
  /** Part of `current` that a candidate replaces, such as the last element of a list. */
  replaced: string
}

/** Decodes Base64 arguments. PowerShell before 7.3 does not escape double quotes in plain arguments. */
export function readPowerShellLine(line: string, replaced: string): PowerShellLine {
  const [, ...words] = decode(line).split('\n')
  const current = words.pop() ?? ''
  return { words: [...words, unquote(current)], current, replaced: decode(replaced) }
}

// PowerShell also accepts typographic quotes.
const singleQuotes = /['\u2018-\u201b]/
const doubleQuotes = /["\u201c-\u201e]/

function unquote(text: string): string {
  const [first = ''] = text
  if (singleQuotes.test(first))
    return text.slice(1).replace(/(['\u2018-\u201b])(['\u2018-\u201b]|$)/g, takeSecond)
  const body = doubleQuotes.test(first)
    ? text.slice(1).replace(/(["\u201c-\u201e])(["\u201c-\u201e]|$)/g, takeSecond)
    : text
  return body.replace(/`(.)/gs, '$1')
}

const takeSecond = (_: string, __: string, second: string) => second

/** Filters, quotes and formats candidates. PowerShell neither filters nor quotes. */
export function formatForPowerShell(
  candidates: readonly Candidate[],
  { words, current, replaced }: PowerShellLine,
  describe: (candidate: Candidate) => Visible,
): readonly Visible[] {
  const typed = words.at(-1) ?? ''
  const isEnd = current.endsWith(replaced) && replaced !== ''
  const kept = isEnd ? unquote(current.slice(0, current.length - replaced.length)) : ''
  return candidates
    .filter(({ value }) => value.startsWith(typed) && value.startsWith(kept) && value !== kept)
    .flatMap((candidate) => {
      const rest = candidate.value.slice(kept.length)
      // PowerShell before 7.3 does not escape double quotes in arguments of programs.
      if (rest.includes('"')) return []
      const shown = visible(candidate.value)
      const words = candidate.words ? describe(candidate) : shown
      return [own`${visible(quote(rest))}\t${shown}\t${words}`]
    })
}

function quote(text: string): string {
  if (/^(--?[A-Za-z]|[A-Za-z_\d])[\w/:+=-]*$/.test(text) && !/^-?[\d.]+$/.test(text)) return text
  return `'${text.replace(new RegExp(singleQuotes, 'g'), '$&$&')}'`
}
