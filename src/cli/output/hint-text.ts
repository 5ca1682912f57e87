import { quoteForShell } from '../../api/quote-for-shell.ts'
import { type Hint, Suggestion } from '../../errors.ts'
import type { Redact } from './redaction/redaction.ts'
import { visible } from './terminal/visible.ts'

/** Formats a hint, with the flags of `target` that its commands need. */
export function formatHintText(hint: Hint, target: readonly string[], redact: Redact): string {
  if (typeof hint === 'string') return redact(hint)
  if (hint instanceof Suggestion) return formatCommand(hint, target, redact)
  return hint.map((part) => formatHintText(part, target, redact)).join('')
}

/** Command groups and commands that do not depend on the selected service. */
const withoutTarget: ReadonlySet<string> = new Set([
  ...[
    'cache',
    'commands',
    'completion',
    'help',
    'local',
    'openapi',
    'profiles',
    'schema',
    'serve',
    'version',
  ],
  ...['webhooks listen', 'webhooks verify'],
])

/** Returns the arguments of a suggested command, before the flags of the target are added. */
export const toCommandLine = (suggestion: Suggestion): string[] => splitAtOperands(suggestion).flat()

/** Splits the words of a suggestion where flags can be inserted. */
function splitAtOperands({ words, operands }: Suggestion): [before: string[], after: string[]] {
  const hasDash = operands.some((word) => word.startsWith('-') && word !== '-')
  const end = [...words, '--'].indexOf('--')
  if (hasDash) return [[...words], ['--', ...operands]]
  if (end < words.length) return [words.slice(0, end), [...words.slice(end), ...operands]]
  return [[...words, ...operands], []]
}

function formatCommand(suggestion: Suggestion, target: readonly string[], redact: Redact): string {
  const [before, after] = splitAtOperands(suggestion)
  const line = [...before, ...selectTarget(before, target), ...after]
  // Redaction precedes quoting, because a quoted secret might not be recognized.
  return ['meetroom', ...line].map((word) => quoteWord(redact(word))).join(' ')
}

function selectTarget(words: readonly string[], target: readonly string[]): readonly string[] {
  const has = (flag: string) => words.includes(flag)
  const [group = '', verb = ''] = words
  if (withoutTarget.has(group) || withoutTarget.has(`${group} ${verb}`)) return []
  // `auth login URL` selects the profile of the URL.
  if (group === 'auth' && verb === 'login' && /^https?:/i.test(words[2] ?? '')) return []
  if (['--help', '--local', '--all-profiles'].some(has)) return []
  const pairs = ['--profile', '--base-url']
  // `--local` is not combined with a profile or a base URL.
  if (target.includes('--local')) return pairs.some(has) ? [] : target
  return pairs.flatMap((flag) => {
    const at = target.indexOf(flag)
    return at < 0 || has(flag) ? [] : target.slice(at, at + 2)
  })
}

/** Quotes a word for a POSIX shell, with visible characters only. */
export function quoteWord(word: string): string {
  if (visible(word) === word) return quoteForShell(word)
  return `"$(printf '${Array.from(word, escapeForPrintf).join('')}')"`
}

function escapeForPrintf(character: string, index: number): string {
  if (character === '%') return '%%'
  const isPlain = visible(character) === character && !["'", '\\'].includes(character)
  // printf(1) interprets a leading dash as a flag.
  if (isPlain && !(index === 0 && character === '-')) return character
  return Array.from(
    new TextEncoder().encode(character),
    (byte) => `\\${byte.toString(8).padStart(3, '0')}`,
  ).join('')
}
