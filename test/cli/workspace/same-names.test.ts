import { expect, test } from 'vitest'
import { groupByName } from '../../../src/cli/matching/match.ts'
import { createKeys } from '../../../src/cli/workspace/export-workspace.ts'
import { createSection } from '../../../src/cli/workspace/lock/lock.ts'
import { sized } from '../../suites/size.ts'

/** Number of rooms that makes a quadratic algorithm slow. */
const count = sized(20_000, 100_000)
const rooms = Array.from({ length: count }, (_, i) => ({ id: `r${i}`, name: 'Maths' }))

test('createKeys numbers the keys of many rooms with the same name', () => {
  const keys = createKeys(rooms, createSection('https://meet.test/v1', undefined, undefined), String)
  expect(keys.get('r0')).toBe('maths')
  expect(new Set(keys.values())).toContain(`maths-${count}`)
  expect(new Set(keys.values()).size).toBe(count)
})

test('createKeys creates unique keys if a room name equals a numbered key', () => {
  const named = ['A 2', 'A', 'A', 'A'].map((name, i) => ({ id: `r${i}`, name }))
  const keys = createKeys(named, createSection('https://meet.test/v1', undefined, undefined), String)
  expect([...keys.values()].sort()).toEqual(['a', 'a-2', 'a-2-2', 'a-3'])
})

test('groupByName puts all rooms with the same name into one group', () => {
  const groups = groupByName(new Map(rooms.map((room) => [room.id, room])))
  expect(groups.get('Maths')).toHaveLength(count)
})
