import { findClosest } from '../../api/closest.ts'
import { formatChoices } from '../../api/either.ts'
import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { createFlagConflict } from '../../api/flag-conflict.ts'
import { toText } from '../../api/to-text.ts'
import { readDuration } from '../../duration.ts'
import { UsageError } from '../../errors.ts'
import { isObject } from '../common/values.ts'

export type FaultTarget = OperationName | 'connect'

export type FaultSpec = ReturnType<typeof parseFault>

const keys = [
  ...['operation', 'id', 'status', 'headers', 'body', 'delay', 'connection', 'after', 'times'],
  ...['probability', 'seed'],
]

const targets = [...Object.keys(endpoints), 'connect']

export function parseFault(value: unknown) {
  if (!isObject(value)) throw refuse('a fault must be an object', value)
  for (const key of Object.keys(value))
    if (!keys.includes(key))
      throw new UsageError(
        `a fault has no field “${key}”${suggestWord(key, keys)}; fields are ${keys.join(', ')}`,
      )
  const { status, connection, after, probability, body } = value
  const isRandom = probability !== undefined
  const fault = {
    /** Undefined for all operations of the API. */
    operations: parseList(value['operation'], 'operation')?.map(parseTarget),
    /** A matching request names at least one of the IDs. Undefined for all requests. */
    ids: parseList(value['id'], 'id'),
    status: parseNumber('status', status, isStatus, 'a whole number from 400 to 599'),
    headers: parseHeaders(value['headers']),
    body,
    delayMs: parseDelay(value['delay']),
    connection: parseChoice('connection', connection, ['reset', 'cut']),
    after: parseChoice('after', after, ['write']),
    times:
      parseNumber('times', value['times'], isCount, 'a whole number, at least 1, or Infinity') ??
      (isRandom ? Number.POSITIVE_INFINITY : 1),
    probability: parseNumber('probability', probability, isShare, 'a number above 0 and at most 1'),
    seed: parseNumber('seed', value['seed'], Number.isSafeInteger, 'a whole number') ?? 0,
  }
  requireEffect(fault)
  if (value['seed'] !== undefined && !isRandom)
    throw new UsageError('seed of a fault needs probability, as in { probability: 0.2, seed: 7 }')
  return fault
}

function requireEffect({ status, connection, delayMs, headers, body }: FaultSpec): void {
  if (status === undefined && connection === undefined && delayMs === 0)
    throw new UsageError('a fault needs status, delay or connection, as in { status: 503 }')
  if (status === undefined && (body !== undefined || Object.keys(headers).length > 0))
    throw new UsageError('headers and body of a fault need status, as in { status: 429, headers: … }')
  if (status !== undefined && connection === 'reset')
    throw createFlagConflict('status', 'connection “reset”', {
      because: 'a reset connection has no response',
    })
}

const isStatus = (value: number) => Number.isInteger(value) && value >= 400 && value <= 599
const isCount = (value: number) =>
  value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value >= 1)
const isShare = (value: number) => value > 0 && value <= 1

function parseNumber(key: string, value: unknown, isValid: (value: number) => boolean, range: string) {
  if (value === undefined || (typeof value === 'number' && isValid(value))) return value
  throw refuse(`${key} of a fault must be ${range}`, value)
}

function parseChoice<T extends string>(key: string, value: unknown, choices: readonly T[]): T | undefined {
  const found = choices.find((choice) => choice === value)
  if (value === undefined || found) return found
  throw refuse(`${key} of a fault must be ${formatChoices(choices)}`, value)
}

function parseList(value: unknown, key: string): readonly string[] | undefined {
  if (value === undefined) return undefined
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > 0 && list.every((item) => typeof item === 'string' && item !== ''))
    return list as string[]
  throw refuse(`${key} of a fault must be one or more nonempty strings`, value)
}

function parseTarget(name: string): FaultTarget {
  if (targets.includes(name)) return name as FaultTarget
  throw new UsageError(
    `no such operation: “${name}”${suggestWord(name, targets)}; operations are ${targets.join(', ')}`,
  )
}

function parseDelay(value: unknown): number {
  if (value === undefined) return 0
  const ms = typeof value === 'string' ? readDuration(value) : value
  if (typeof ms === 'number' && ms > 0 && ms < 2 ** 31) return ms
  throw refuse('delay of a fault must be a duration such as 500ms or 2s, or a number of milliseconds', value)
}

function parseHeaders(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined) return {}
  if (!isObject(value)) throw refuse('headers of a fault must be an object', value)
  const headers = Object.entries(value).map(([name, text]) => [name.toLowerCase(), text] as const)
  for (const [name, text] of headers)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || typeof text !== 'string' || !/^[\t\x20-\x7e]*$/.test(text))
      throw new UsageError(`headers.${name} of a fault is not a valid header`)
  return Object.fromEntries(headers) as Record<string, string>
}

const refuse = (problem: string, value: unknown) =>
  new UsageError(`${problem}, not “${toText(value ?? String(value))}”`)

const suggestWord = (word: string, words: readonly string[]) => {
  const closest = findClosest(word, words)
  return closest === undefined ? '' : `; did you mean ${closest}?`
}
