import type { Visible } from '../../host.ts'
import { splitWords } from '../input/split-command.ts'
import { own, visible } from '../output/terminal/visible.ts'

export interface Candidate {
  value: string
  words?: string
}

export interface Completion {
  candidates: readonly Candidate[]
  /** Requests file name completion by the shell. */
  files?: boolean
  /** Suppresses the space after the candidate. */
  open?: boolean
}

interface CompletionRequest {
  /** Line up to the cursor. */
  line: string
  /** bash only: end of the line that a candidate replaces. */
  replaced: string
  /** bash only: candidates are listed, not inserted. */
  isShown: boolean
}

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Maximum number of characters of a description. */
const maxDescriptionLength = 60

/** Formats candidates for a shell. The first line is an instruction for the script. */
export function formatCompletion(
  shell: Shell,
  { candidates, files, open }: Completion,
  asked: CompletionRequest,
): Visible {
  // Values with escaped characters cannot be typed.
  const typable = candidates.filter(({ value }) => value !== '' && visible(value) === value)
  const lines = formats[shell](typable, asked)
  const [first = own``, ...rest] = [own`${visible(files ? 'files' : open ? 'open' : 'words')}`, ...lines]
  return rest.reduce<Visible>((text, line) => own`${text}${line}\n`, own`${first}\n`)
}

type Format = (candidates: readonly Candidate[], asked: CompletionRequest) => readonly Visible[]

const formatDescription = ({ words = '' }: Candidate) =>
  visible(Array.from(words).slice(0, maxDescriptionLength).join(''))

const formats: Record<Shell, Format> = {
  bash: formatForBash,
  // A colon separates value and description, and a backslash escapes it.
  zsh: (candidates) =>
    candidates.map((candidate) => {
      const value = visible(candidate.value.replace(/[\\:]/g, '\\$&'))
      const words = visible(formatDescription(candidate).replaceAll('\\', '\\\\'))
      return candidate.words ? own`${value}:${words}` : value
    }),
  // Visible text holds no tab. fish does not escape a leading tilde, and would expand it.
  fish: (candidates) =>
    candidates
      .filter(({ value }) => !value.startsWith('~'))
      .map((candidate) =>
        candidate.words
          ? own`${visible(candidate.value)}${tab}${formatDescription(candidate)}`
          : visible(candidate.value),
      ),
}

const tab = own`\t`

/** Filters and quotes for bash, which does neither. bash replaces only the part of a word after `=` or `:`. */
function formatForBash(
  candidates: readonly Candidate[],
  { line, replaced, isShown }: CompletionRequest,
): readonly Visible[] {
  const { words, start } = splitWords(line)
  const typed = words.at(-1) ?? ''
  const isEnd = line.endsWith(replaced) && line.length - replaced.length >= start
  const kept = splitWords(isEnd ? line.slice(0, line.length - replaced.length) : line.slice(0, start))
  const keptText = kept.words.at(-1) ?? ''
  const fitting = candidates.filter(({ value }) => value.startsWith(typed) && value.startsWith(keptText))
  const rests = fitting.flatMap((candidate) => {
    const rest = quoteForBash(candidate.value.slice(keptText.length), kept.open)
    // Part of a word cannot be escaped.
    return rest === undefined || visible(rest) !== rest ? [] : [{ ...candidate, value: rest }]
  })
  const width = Math.max(0, ...rests.map(({ value }) => value.length))
  return rests.map((candidate) =>
    isShown && rests.length > 1 && candidate.words
      ? own`${visible(candidate.value.padEnd(width))}  (${formatDescription(candidate)})`
      : visible(candidate.value),
  )
}

/** Escapes a text for its place within or outside quotes; undefined if that is impossible. */
function quoteForBash(text: string, open: string): string | undefined {
  // Outside ASCII only spaces are special, and a backslash would split surrogates.
  if (open === '') return text.replace(/\p{Z}|(?![\w@%+=:,./-])[!-~]/gu, '\\$&')
  if (open === "'") return text.includes("'") ? undefined : text
  // An exclamation mark expands history even within quotes.
  return /["\\$`!]/.test(text) || open === '\\' ? undefined : text
}
