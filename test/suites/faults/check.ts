import { sized } from '../size.ts'
import { acknowledged, attempts, type Command, commands, type End } from './expected.ts'
import { type Fault, key } from './fault.ts'
import type { CommandResult, Format } from './run.ts'

/**
 * Maximum time that a command may run after its deadline or its last output, in milliseconds. Shared machines
 * are slow.
 */
const marginMs = sized(4000, 8000)

const emptyTable = /^no rooms$/m
/** Lines on standard error that are neither an error nor a hint. */
const notices = [
  /; retrying in \d+\.\d s$/,
  /^warning: the API key is sent unencrypted to meet\.test; use https$/,
  /^warning: the response has another value of /,
  /^updated room [0-9a-f]{24}$/,
  /^deleted 1 room$/,
  emptyTable,
]
/** Texts that no output may contain: forms of the key, and the proxy password. */
const secrets = [
  key,
  encodeURIComponent(key),
  Buffer.from(key).toString('base64').slice(0, -4),
  'proxy-password',
]
const stack = /^\s+at |node:internal|\.[cm]?[jt]s:\d+|Warning:|meetroom has a bug/m
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f]/

/** Returns the problems of an ended command in a list of one text, or an empty list. */
export function problemsOf(fault: Fault, command: Command, format: Format, ended: CommandResult): string[] {
  const { code, requests, connections } = fault.expect[command]
  const { stdout, stderr } = ended
  const codes = [code].flat()
  const failed = ended.code !== 0
  const problems: (string | false)[] = [
    !codes.includes(ended.code ?? -1) && `exit code ${ended.code} instead of ${codes.join(' or ')}`,
    requests !== undefined &&
      !isWithin(ended.requests, requests, command) &&
      `${ended.requests} requests instead of ${requests}`,
    !isExpected(ended, connections, command) && `${ended.connections} connections instead of ${connections}`,
    (ended.lingeredMs ?? 0) > marginMs && 'lingers after its last word',
    ended.lateMs > marginMs && `ended ${Math.round(ended.lateMs)} ms after the deadline`,
    fault.stalls === true && ended.lateMs < -50 && 'ended before the deadline',
    failed
      ? stdout !== '' && 'output on standard output'
      : fault.expect !== acknowledged && outputProblem(ended, format),
    ...secrets.map((secret) => `${stdout}${stderr}`.includes(secret) && `shows ${secret}`),
    stack.test(`${stdout}\n${stderr}`) && 'shows a stack',
    control.test(stderr) && 'shows control characters',
    errorProblem(stderr, failed, format),
    fault.says !== undefined && !says(stderr, fault.says, failed, command) && `does not say ${fault.says}`,
  ]
  const found = problems.filter((problem) => problem !== false)
  return found.length === 0
    ? []
    : [`${commands[command].join(' ')} -o ${format}: ${found.join('; ')}\n${stderr}`]
}

/** Maximum number of requests after a write: reads that prove the write, and one probe. */
const maxReads = attempts + 1

/** Returns true for the expected number, plus at most `maxReads` after an update or a deletion. */
function isWithin(count: number, expected: number, command: Command): boolean {
  const isReadable = command === 'update' || command === 'delete'
  return count >= expected && count <= expected + (isReadable ? maxReads : 0)
}

function isExpected(
  { requests, connections }: CommandResult,
  expected: End['connections'],
  command: Command,
): boolean {
  if (typeof expected === 'number') return isWithin(connections, expected, command)
  return (
    (connections >= 1 && isWithin(connections, 1, command)) ||
    connections <= (expected === 'kept' ? requests : attempts)
  )
}

function outputProblem({ stdout, stderr }: CommandResult, format: Format): string | false {
  if (stdout === '' && format === 'table' && emptyTable.test(stderr)) return false
  if (stdout === '') return 'nothing on standard output'
  // The output keeps the byte order mark of the response.
  return format === 'json' && !isJson(stdout.replace(/^\ufeff/, '')) && 'standard output is not JSON'
}

/**
 * Returns the problem of standard error. Besides notices, a failure prints one line with an optional hint, or
 * one JSON object.
 */
function errorProblem(stderr: string, failed: boolean, format: Format): string | false {
  const lines = stderr.split('\n')
  if (lines.pop() !== '') return 'standard error does not end with a line'
  const others = lines.filter((line) => !notices.some((notice) => notice.test(line)))
  if (!failed) return others.length > 0 && 'standard error holds more than notices'
  if (format === 'json')
    return (others.length !== 1 || !isError(others[0] ?? '')) && 'standard error is not one object of JSON'
  const [error = '', hint = 'hint: ', ...more] = others
  const isGood = error.startsWith('error: ') && hint.startsWith('hint: ') && more.length === 0
  return !isGood && 'standard error is not one line and a hint'
}

/** Returns true if standard error matches. A read that succeeds needs no message. */
function says(stderr: string, what: string | RegExp, failed: boolean, command: Command): boolean {
  if (!failed && (command === 'list' || command === 'get')) return true
  const text = stderr.replaceAll('\\"', '"')
  return typeof what === 'string' ? text.includes(what) : what.test(text)
}

function isError(line: string): boolean {
  if (!isJson(line)) return false
  const { error } = JSON.parse(line)
  return (
    typeof error?.code === 'string' &&
    typeof error.message === 'string' &&
    typeof error.retryable === 'boolean'
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
