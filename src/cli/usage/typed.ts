import { type Suggestion, suggest, suggestElsewhere } from '../../errors.ts'

/** Pattern of IDs that services generate: 24 hexadecimal digits, or a UUID. */
export const idPattern = /^([0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

const local: ReadonlySet<string> = new Set([
  'profiles',
  'config',
  'completion',
  'commands',
  'schema',
  'help',
  'serve',
  'webhooks',
  'openapi',
])

/** Commands of a local group that use the service. */
const remote: ReadonlySet<string> = new Set(['webhooks deliveries', 'webhooks redeliver'])

export function suggestTyped(words: readonly string[]): Suggestion {
  const isLocal = local.has(words[0] ?? '') && !remote.has(words.slice(0, 2).join(' '))
  return isLocal ? suggestElsewhere(words) : suggest(words)
}

/** Flags whose value may be a secret. A suggestion does not repeat the words of such a command line. */
const mayHoldSecret = /^-.*(key|token|secret|pass|header)/i

const selecting = /^--(profile|base-url)$/

/**
 * Returns the words after a command, without the flags that select a service, because suggestions add them. Returns no
 * words if one may be a secret.
 */
export function readWordsAfterCommand(argv: readonly string[], command: readonly string[]): string[] {
  if (argv.some((word) => mayHoldSecret.test(word))) return []
  return removeTargetFlags(argv, command)
}

export function removeTargetFlags(argv: readonly string[], command: readonly string[]): string[] {
  const left = [...command]
  const rest: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (left.length > 0 && word === left[0]) left.shift()
    else if (selecting.test(word)) i++
    else if (word !== '--local' && !/^--(profile|base-url)=/.test(word)) rest.push(word)
  }
  return rest
}

/** Adds the words of a mistyped command to a suggested command (`words`). Turns operands into flags where needed. */
export function fitWords(words: readonly string[], rest: readonly string[]): string[] {
  const [first = '-', second = '-'] = rest
  const name = words.join(' ')
  const isOperand = !first.startsWith('-')
  if (name === 'rooms create' && isOperand) return [...words, '--name', ...rest]
  if (/^(rooms|users) list$/.test(name) && isOperand)
    return [...words, '--where', `name~${first}`, ...rest.slice(1)]
  const isUser = !second.startsWith('-') && !idPattern.test(second)
  if (/^members (get|update|block|unblock)$/.test(name) && isOperand && isUser)
    return [...words, first, '--user', ...rest.slice(1)]
  return [...words, ...rest]
}
