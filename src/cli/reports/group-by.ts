import { formatChoices } from '../../api/either.ts'
import { UsageError } from '../../errors.ts'
import { type PeriodUnit, periodUnits } from '../calendar/period.ts'

const roomSubjects = ['user', 'room', 'session'] as const
const subjects = [...roomSubjects, 'user-total', 'meeting'] as const
export type Subject = (typeof subjects)[number]

/** Values of `--by`. A comma can combine a subject, except `session`, with a unit. */
export const groupings = [...subjects, ...periodUnits] as const

/** Without a subject, a row covers all rooms together. */
export interface Grouping {
  subject?: Subject
  unit?: PeriodUnit
  /** True to sort by period before subject. */
  isUnitFirst: boolean
  /** True for usage of the service: rows have a peak. */
  hasPeak?: boolean
}

/** Subjects whose rows, without a unit, are not sums of visits. */
export type RoomSubject = (typeof roomSubjects)[number]

/** @throws {UsageError} for an unknown name or an invalid combination */
export function parseGrouping(text: string): Grouping {
  const names = text.split(',').map((name) => name.trim())
  for (const name of names)
    if (!groupings.some((known) => known === name)) {
      throw new UsageError(`--by must be ${formatChoices(groupings)}, not “${name}”`, {
        hint: 'a comma adds day, week or month to a subject: --by user-total,month',
        misspelling: {
          kind: 'choice',
          words: [name],
          known: groupings,
          correct: (find) => [text, text.replace(name, find(name))],
        },
      })
    }
  const subject = subjects.find((name) => names.includes(name))
  const unit = periodUnits.find((name) => names.includes(name))
  const count = (subject === undefined ? 0 : 1) + (unit === undefined ? 0 : 1)
  if (names.length !== count || (subject === 'session' && unit !== undefined))
    throw new UsageError(`--by cannot combine ${names.join(' and ')}`, {
      hint: 'a comma combines user, room, user-total or meeting with day, week or month: --by user-total,month',
    })
  return {
    ...(subject && { subject }),
    ...(unit && { unit }),
    isUnitFirst: unit !== undefined && names[0] === unit,
  }
}

/** Returns the subject of rows that are not sums of visits; undefined for sums. */
export function selectRoomSubject({ subject, unit }: Grouping): RoomSubject | undefined {
  return unit === undefined ? roomSubjects.find((name) => name === subject) : undefined
}

export function groupUsage(by: unknown): Grouping {
  return { ...(by === 'room' && { subject: 'room' }), unit: 'month', isUnitFirst: false, hasPeak: true }
}
