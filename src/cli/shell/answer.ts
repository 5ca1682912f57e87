import type { Visible } from '../../host.ts'
import { splitWords } from '../input/split-command.ts'
import { own, visible } from '../output/terminal/visible.ts'

/** A word that may stand where the cursor is. */
export interface Candidate {
  value: string
  /** What it means, or whose id it is. */
  words?: string
}

export interface Answer {
  candidates: readonly Candidate[]
  /** Names of files fit here; the shell knows them. */
  files?: boolean
  /** The word goes on behind the candidate: no blank after it. */
  open?: boolean
}

/** How a shell wants to be answered. */
export interface Asked {
  /** The line up to the cursor. */
  line: string
  /** Of bash: the end of the line that it puts a candidate in the place of. */
  replaced: string
  /** Of bash: whether it will only show the candidates. */
  isShown: boolean
}

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Number of characters of a description. */
const longest = 60

/** The answer for a shell: what to do on the first line, then a candidate a line. */
export function answerFor(shell: Shell, { candidates, files, open }: Answer, asked: Asked): Visible {
  // What would have to be escaped to be seen cannot be typed either.
  const typable = candidates.filter(({ value }) => value !== '' && visible(value) === value)
  const lines = formats[shell](typable, asked)
  const [first = own``, ...rest] = [own`${visible(files ? 'files' : open ? 'open' : 'words')}`, ...lines]
  return rest.reduce<Visible>((text, line) => own`${text}${line}\n`, own`${first}\n`)
}

type Format = (candidates: readonly Candidate[], asked: Asked) => readonly Visible[]

const described = ({ words = '' }: Candidate) => visible(Array.from(words).slice(0, longest).join(''))

/** Each shell quotes, sorts and shows in its own way; bash does not quote at all. */
const formats: Record<Shell, Format> = {
  bash: inBash,
  // A colon separates, and a backslash takes that from it.
  zsh: (candidates) =>
    candidates.map((candidate) => {
      const value = visible(candidate.value.replace(/[\\:]/g, '\\$&'))
      const words = visible(described(candidate).replaceAll('\\', '\\\\'))
      return candidate.words ? own`${value}:${words}` : value
    }),
  // A tab, which nothing visible holds. Fish does not escape a leading tilde, and would expand it on Enter.
  fish: (candidates) =>
    candidates
      .filter(({ value }) => !value.startsWith('~'))
      .map((candidate) =>
        candidate.words
          ? own`${visible(candidate.value)}${tab}${described(candidate)}`
          : visible(candidate.value),
      ),
}

const tab = own`\t`

/** Bash filters, quotes and describes nothing, and replaces only the end of a word that has `=` or `:` in it. */
function inBash(candidates: readonly Candidate[], { line, replaced, isShown }: Asked): readonly Visible[] {
  const { words, start } = splitWords(line)
  const typed = words.at(-1) ?? ''
  const isEnd = line.endsWith(replaced) && line.length - replaced.length >= start
  const kept = splitWords(isEnd ? line.slice(0, line.length - replaced.length) : line.slice(0, start))
  const keptText = kept.words.at(-1) ?? ''
  const fitting = candidates.filter(({ value }) => value.startsWith(typed) && value.startsWith(keptText))
  const rests = fitting.flatMap((candidate) => {
    const rest = quoted(candidate.value.slice(keptText.length), kept.open)
    // The rest of what belongs together, such as half a flag, cannot be typed.
    return rest === undefined || visible(rest) !== rest ? [] : [{ ...candidate, value: rest }]
  })
  const width = Math.max(0, ...rests.map(({ value }) => value.length))
  return rests.map((candidate) =>
    isShown && rests.length > 1 && candidate.words
      ? own`${visible(candidate.value.padEnd(width))}  (${described(candidate)})`
      : visible(candidate.value),
  )
}

/** A text as it is typed within a quote, or without one; undefined for what cannot stand there. */
function quoted(text: string, open: string): string | undefined {
  // Beyond ASCII only blanks may mean something, and a backslash would take characters apart that belong together.
  if (open === '') return text.replace(/\p{Z}|(?![\w@%+=:,./-])[!-~]/gu, '\\$&')
  if (open === "'") return text.includes("'") ? undefined : text
  // An exclamation mark calls up history even here.
  return /["\\$`!]/.test(text) || open === '\\' ? undefined : text
}
