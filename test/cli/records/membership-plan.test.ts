import { describe, expect, test } from 'vitest'
import { planMembership, selectMembership } from '../../../src/cli/records/membership-plan.ts'

describe('the effective membership', () => {
  const select = (...members: object[]) =>
    selectMembership(members.map((member, i) => ({ id: i, ...member })))?.['id']

  test('selectMembership() returns the unblocked membership', () => {
    expect(select({ type: 'host', is_blocked: true }, { type: 'guest', is_blocked: false })).toBe(1)
  })

  test('selectMembership() returns the unblocked membership with the highest role', () => {
    expect(select({ type: 'monitor' }, { type: 'guest' }, { type: 'HOST' })).toBe(2)
  })

  test('selectMembership() returns the first of two equal memberships', () => {
    expect(select({ type: 'guest' }, { type: 'guest' })).toBe(0)
  })

  test('selectMembership() returns the membership with the highest role if all are blocked', () => {
    expect(select({ type: 'guest', is_blocked: 1 }, { type: 'host', is_blocked: 'true' })).toBe(1)
  })

  test('selectMembership() returns undefined for a user without memberships', () => {
    expect(select()).toBeUndefined()
  })
})

describe('the plan for a member', () => {
  const guest = { id: 'm1', type: 'guest' }
  const blocked = { ...guest, is_blocked: true }
  const plan = (
    member: object,
    values: object,
    options: Partial<Parameters<typeof planMembership>[1]> = {},
  ) => planMembership({ ...member }, { values: { ...values }, ifExists: 'update', ...options })

  test.each([
    ['update', 'host', 'change'],
    ['update', 'guest', 'leave'],
    ['skip', 'host', 'leave'],
    ['fail', 'guest', 'refuse'],
    ['raise', 'host', 'change'],
    ['raise', 'guest', 'leave'],
    ['raise', 'monitor', 'leave'],
    ['raise', undefined, 'leave'],
  ] as const)(
    'planMembership() with ifExists=%s, an existing guest and the new role %s returns “%s”',
    (ifExists, type, action) => {
      expect(plan(guest, type ? { type } : {}, { ifExists }).action).toBe(action)
    },
  )

  test('planMembership() raises an unknown role only to host', () => {
    expect(plan({}, { type: 'host' }, { ifExists: 'raise' }).action).toBe('change')
    expect(plan({}, { type: 'guest' }, { ifExists: 'raise' }).action).toBe('leave')
  })

  test('planMembership() changes a value that is missing in the existing member', () => {
    expect(plan(guest, { type: 'guest', name: 'Ada' }).action).toBe('change')
  })

  test.each([
    [undefined, blocked, 'leave'],
    ['fail', blocked, 'refuse'],
    ['unblock', blocked, 'change'],
    ['unblock', guest, 'change'],
    ['unblock', { ...guest, is_blocked: false }, 'leave'],
  ] as const)(
    'planMembership() with ifBlocked=%s and the member %j returns “%s”',
    (ifBlocked, member, action) => {
      expect(plan(member, { type: 'guest' }, { ifBlocked }).action).toBe(action)
    },
  )

  test('planMembership() with ifBlocked=unblock removes the block unless the new values set a block', () => {
    const ifBlocked = 'unblock'
    expect(plan(blocked, {}, { ifBlocked })).toMatchObject({ values: { is_blocked: false } })
    expect(plan(blocked, { is_blocked: true }, { ifBlocked }).action).toBe('leave')
  })

  test('planMembership() adds a user without a membership', () => {
    expect(planMembership(undefined, { values: {}, ifExists: 'fail' })).toEqual({ action: 'add' })
  })
})
