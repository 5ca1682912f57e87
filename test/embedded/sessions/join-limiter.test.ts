import { expect, test } from 'vitest'
import { JoinLimiter } from '../../../src/embedded/sessions/join-limiter.ts'

function limiter(joins: number) {
  let now = 0
  const limits = new JoinLimiter(() => now, { joins })
  const joinsOf = (ipAddress: string | null, room = 'r') => {
    try {
      limits.count(room, ipAddress)
      return true
    } catch {
      return false
    }
  }
  return { join: joinsOf, pass: (ms: number) => (now += ms) }
}

test('the join limiter allows a burst of 500 joins and then one join per second', () => {
  const { join, pass } = limiter(500)
  const burst = () => Array.from({ length: 600 }, () => join('192.0.2.1')).filter(Boolean).length
  expect(burst()).toBe(500)
  pass(3000)
  expect(burst()).toBe(3)
  pass(1_000_000)
  expect(burst()).toBe(500)
})

test('the join limiter groups IPv6 addresses by /64 network', () => {
  const { join } = limiter(1)
  expect(join('2001:db8::1')).toBe(true)
  expect(join('2001:db8:0:0:1::')).toBe(false)
  expect(join('2001:DB8:0::ffff')).toBe(false)
  expect(join('2001:db8:0:1::1')).toBe(true)
  expect(join('fe80::1%eth0')).toBe(true)
  expect(join('fe80::2%eth0')).toBe(false)
  expect(join('::1')).toBe(true)
})

test('the join limiter counts joins separately for each room and each IP address', () => {
  const { join } = limiter(1)
  expect([join('192.0.2.1'), join('192.0.2.2'), join('192.0.2.1', 'other'), join(null)]).toEqual(
    Array(4).fill(true),
  )
  expect([join('192.0.2.1'), join(null)]).toEqual([false, false])
})
