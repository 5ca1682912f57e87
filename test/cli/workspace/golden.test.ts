import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parseWorkspace } from '../../../src/cli/workspace/document/read-document.ts'
import { formatLock, parseLock } from '../../../src/cli/workspace/lock/lock-format.ts'
import type { PruneKind } from '../../../src/cli/workspace/plan/plan.ts'
import { planWorkspace } from '../../../src/cli/workspace/plan/plan-workspace.ts'

// These files never change, because every version must read the files of earlier versions.
const folder = resolve(import.meta.dirname, '../../fixtures/workspace')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

const user = (user_id: string, more: object) => [user_id, { user_id, profile_url: null, ...more }] as const
const room = (id: string, more: object) =>
  [
    id,
    { id, application_id: 'app-1', terminated_at: null, layout: 'default', record: false, ...more },
  ] as const

/** Returns the state of the service after `workspace apply` by an earlier version. */
const state = () => ({
  users: {
    isComplete: true,
    items: new Map<string, object>([
      user('ada', { name: 'Ada Lovelace', default_member_type: 'HOST', email: 'ada@school.example' }),
      user('007', { name: 'Grace: H.', default_member_type: 'guest' }),
    ]),
  },
  rooms: {
    isComplete: true,
    items: new Map<string, object>([
      room('r1', { name: 'Algebra', type: 'private', record: 0, max_meeting_seconds: '3600' }),
      room('r2', { name: 'Hall', type: 'open', terminated_at: '2026-01-02T03:04:05.678Z' }),
    ]),
  },
  members: new Map([
    [
      'r1',
      {
        isComplete: true,
        items: [
          { id: 'm1', user_id: 'ada', type: 'host', name: 'Ada', is_blocked: false },
          { id: 'm2', user_id: '007', type: 'guest', name: 'Grace' },
          { id: 'm3', user_id: 'mallory', type: 'guest', is_blocked: true },
          { id: 'm4', user_id: null, type: 'guest' },
        ],
      },
    ],
  ]),
})

test.each([
  ['without --prune', [] as PruneKind[]],
  ['with --prune of every kind', ['members', 'users', 'rooms'] as PruneKind[]],
])('planWorkspace plans no change for the files of an earlier version %s', async (_, prune) => {
  const document = await parseWorkspace(read('school.yaml'), 'school.yaml')
  const [section] = parseLock(read('school.yaml.lock'), 'school.yaml.lock')
  if (!section) throw new Error('the lock file has no section')
  const options = { prune: new Set(prune), recreate: new Set<string>(), reblocks: false }
  expect(planWorkspace(document, section, state() as never, options).items).toEqual([])
})

test('a lock file has the same text after it is parsed and formatted', () => {
  expect(formatLock(parseLock(read('school.yaml.lock'), 'school.yaml.lock'))).toBe(read('school.yaml.lock'))
})
