import { findClosest } from '../../../../api/closest.ts'
import { toText } from '../../../../api/to-text.ts'
import { UsageError } from '../../../../errors.ts'
import { idleSince } from '../../../filter/metric-types.ts'
import { roomStates } from '../../../filter/room-states.ts'
import { type Filter, findMetric } from '../../../filter/where.ts'
import type { Redact } from '../../../output/redaction/redaction.ts'
import { type FieldValue, type Item, readField, views } from '../../../output/views/views.ts'

/** @throws {UsageError} if the text is a single word that is not a state */
export function expandCondition(text: string): string {
  const word = text.trim()
  if (Object.hasOwn(roomStates, word)) return roomStates[word] ?? ''
  if (!/^[\w-]*$/.test(word)) return text
  const states = Object.keys(roomStates)
  const meant = findClosest(word, states)
  throw new UsageError(
    `--for must be ${states.join(', ')} or a condition such as 'online>=2', not “${text}”`,
    {
      hint: meant && `did you mean ${meant}?`,
    },
  )
}

const maxValueLength = 60

export function describeConditions(
  { fields, metrics: asked }: Filter,
  room: Item,
  facts: Item,
  redact: Redact,
): string {
  const own = fields.map((field) => [field, readField(views.room, field, room)] as const)
  // Metrics that were not evaluated are omitted.
  const found = asked.filter((fact) => Object.hasOwn(facts, fact))
  const all = [...own, ...found.map((fact) => [fact, findMetric(facts, fact)] as const)]
  return all.map(([field, told]) => describe(field, told, redact)).join(', ')
}

function describe(field: string, told: FieldValue, redact: Redact): string {
  const name = field === idleSince ? 'idle' : field
  if (!told.known) return `the service does not send ${name}`
  // Redaction precedes truncation, because a truncated key would not be recognized.
  const value = told.value === null ? '' : redact(toText(told.value))
  const shown = value.length > maxValueLength ? `${value.slice(0, maxValueLength).toWellFormed()}…` : value
  if (field === idleSince) return `idle since ${shown}`
  return `${name} is ${shown === '' ? 'empty' : shown}`
}
