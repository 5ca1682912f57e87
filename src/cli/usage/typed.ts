import { type Suggestion, suggest, suggestElsewhere } from '../../errors.ts'

/** 24 hex digits and UUIDs. */
export const looksLikeId = /^([0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** Groups that send nothing to a service. */
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

/** Suggests a command with words that were typed. */
export function suggestTyped(words: readonly string[]): Suggestion {
  return local.has(words[0] ?? '') ? suggestElsewhere(words) : suggest(words)
}

/** Flags that may stand before a secret: their command lines are not repeated. */
const mayHoldSecret = /^-.*(key|token|secret|pass|header)/i

const selecting = /^--(profile|base-url)$/

/**
 * The words of a command line behind its command, without the flags that select a service: suggestions are printed with
 * those. Empty where a secret may be among them.
 * @param command the words that call the command, as they were typed
 */
export function restOf(argv: readonly string[], command: readonly string[]): string[] {
  if (argv.some((word) => mayHoldSecret.test(word))) return []
  return withoutTarget(argv, command)
}

/** The words of a command line, but for those of its command and the flags that select a service. */
export function withoutTarget(argv: readonly string[], command: readonly string[]): string[] {
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

/** A command with what was typed behind another, each word where this command takes it. */
export function fitted(words: readonly string[], rest: readonly string[]): string[] {
  const [first = '-', second = '-'] = rest
  const name = words.join(' ')
  const isOperand = !first.startsWith('-')
  if (name === 'rooms create' && isOperand) return [...words, '--name', ...rest]
  if (/^(rooms|users) list$/.test(name) && isOperand)
    return [...words, '--where', `name~${first}`, ...rest.slice(1)]
  const isUser = !second.startsWith('-') && !looksLikeId.test(second)
  if (/^members (get|update|block|unblock)$/.test(name) && isOperand && isUser)
    return [...words, first, '--user', ...rest.slice(1)]
  return [...words, ...rest]
}
