import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { TimeZone } from '../../../src/cli/calendar/time-zone.ts'
import { type Interval, mergeIntervals } from '../../../src/cli/reports/minutes.ts'
import type { Person } from '../../../src/cli/reports/people.ts'
import { listVisits, type Visit } from '../../../src/cli/reports/visits.ts'
import { sized } from '../../suites/size.ts'

type Attendee = Pick<Person, 'intervals' | 'blocked' | 'countedFrom'>

function createPerson({ intervals, blocked, countedFrom }: Attendee, i: number): Person {
  const named = { key: `user ${i}`, user_id: i, name: null, role: null }
  return { ...named, blocked, countedFrom, intervals, openEnd: undefined, isThere: false }
}

const hourMs = 3_600_000
const interval = fc
  .tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 40 }))
  .map(([start, hours]): Interval => [start * hourMs, (start + hours) * hourMs])
const person = fc.record({
  intervals: fc.array(interval, { maxLength: 8 }).map(mergeIntervals),
  blocked: fc.constantFrom(true, false, undefined),
  countedFrom: fc.oneof(
    fc.constant(Number.NEGATIVE_INFINITY),
    fc.integer({ min: 0, max: 2000 }).map((hours) => hours * hourMs),
  ),
})
const people = fc.array(person, { maxLength: 8 }).map((all) => all.map(createPerson))
const options = fc.record({
  unit: fc.constantFrom(undefined, 'day' as const, 'week' as const, 'month' as const),
  minMinutes: fc.constantFrom(0, 90),
  includeBlocked: fc.boolean(),
})
const common = { zone: new TimeZone('Europe/Berlin'), gapMs: 2 * hourMs, absent: true }

function sumMissed(visits: Iterable<Visit>): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { person, period, missed } of visits)
    if (missed > 0) sums[`${person.key} ${period}`] = (sums[`${person.key} ${period}`] ?? 0) + missed
  return sums
}

test('listVisits() returns the same number of missed meetings for both values of listsMissed', () => {
  const property = fc.property(people, options, (everybody, given) => {
    const occupied = mergeIntervals(everybody.flatMap(({ intervals }) => intervals))
    const visitsOf = (listsMissed: boolean) => [
      ...listVisits(occupied, everybody, { ...common, ...given }, listsMissed),
    ]
    const [counted, listed] = [visitsOf(false), visitsOf(true)]
    expect(sumMissed(counted)).toEqual(sumMissed(listed))
    const attended = (visits: Visit[]) => visits.filter(({ intervals }) => intervals.length > 0)
    expect(attended(counted)).toEqual(attended(listed))
  })
  fc.assert(property, { numRuns: sized(20, 200) })
})

test('listVisits() counts an attendance below minMinutes as missed in the first period of the meeting', () => {
  const night: Interval = [20 * hourMs, 30 * hourMs]
  const [ada, bob] = [[night], [[28 * hourMs, 29 * hourMs] as const]].map((intervals, i) =>
    createPerson({ intervals, blocked: false, countedFrom: Number.NEGATIVE_INFINITY }, i),
  ) as [Person, Person]
  const given = { ...common, unit: 'day' as const, minMinutes: 90, includeBlocked: false }
  for (const listsMissed of [true, false])
    expect(sumMissed(listVisits([night], [ada, bob], given, listsMissed))).toEqual({ 'user 1 0': 1 })
})

test('listVisits() without a period returns one record for a member without attendance', () => {
  const meetings = Array.from({ length: 500 }, (_, i): Interval => [i * 24 * hourMs, (i * 24 + 1) * hourMs])
  const everybody = Array.from({ length: 500 }, (_, i) =>
    createPerson(
      { intervals: i === 0 ? meetings : [], blocked: false, countedFrom: Number.NEGATIVE_INFINITY },
      i,
    ),
  )
  const visits = [...listVisits(meetings, everybody, { ...common, minMinutes: 0, includeBlocked: false })]
  expect(visits.length).toBe(meetings.length + everybody.length - 1)
})
