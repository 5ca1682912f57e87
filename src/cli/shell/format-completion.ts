import type { Visible } from '../../host.ts'
import { splitWords } from '../input/split-command.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { Candidate, Completion } from './candidates.ts'
import { formatForPowerShell, type PowerShellLine } from './powershell.ts'

interface CompletionRequest {
  /** bash only: line up to the cursor. */
  line: string
  /** bash only: last part of the line, which a candidate replaces. */
  replaced: string
  /** bash only: true if bash displays the candidates instead of inserting one. */
  isShown: boolean
  /** PowerShell only: parsed command line. */
  powerShell?: PowerShellLine | undefined
}

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

const maxDescriptionLength = 60

/** Formats candidates for a shell. The first line is an instruction for the completion script. */
export function formatCompletion(
  shell: Shell,
  { candidates, files, open }: Completion,
  asked: CompletionRequest,
): Visible {
  // Values with control characters, which `visible` escapes, cannot be typed.
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
  // In zsh, a colon separates the value from the description, and a backslash escapes a colon.
  zsh: (candidates) =>
    candidates.map((candidate) => {
      const value = visible(candidate.value.replace(/[\\:]/g, '\\$&'))
      const words = visible(formatDescription(candidate).replaceAll('\\', '\\\\'))
      return candidate.words ? own`${value}:${words}` : value
    }),
  // fish splits at a tab, which visible text never contains. fish would expand a leading tilde.
  fish: (candidates) =>
    candidates
      .filter(({ value }) => !value.startsWith('~'))
      .map((candidate) =>
        candidate.words
          ? own`${visible(candidate.value)}${tab}${formatDescription(candidate)}`
          : visible(candidate.value),
      ),
  powershell: (candidates, { powerShell }) =>
    powerShell ? formatForPowerShell(candidates, powerShell, formatDescription) : [],
}

const tab = own`\t`

/** Filters and quotes candidates for bash, which replaces only the part of a word after `=` or `:`. */
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
    return rest === undefined || visible(rest) !== rest ? [] : [{ ...candidate, value: rest }]
  })
  const width = Math.max(0, ...rests.map(({ value }) => value.length))
  return rests.map((candidate) =>
    isShown && rests.length > 1 && candidate.words
      ? own`${visible(candidate.value.padEnd(width))}  (${formatDescription(candidate)})`
      : visible(candidate.value),
  )
}

/** Returns undefined for a text that cannot be inserted. */
function quoteForBash(text: string, open: string): string | undefined {
  // Among the non-ASCII characters, only spaces need a backslash.
  if (open === '') return text.replace(/\p{Z}|(?![\w@%+=:,./-])[!-~]/gu, '\\$&')
  if (open === "'") return text.includes("'") ? undefined : text
  // An exclamation mark triggers history expansion even inside double quotes.
  return /["\\$`!]/.test(text) || open === '\\' ? undefined : text
}
