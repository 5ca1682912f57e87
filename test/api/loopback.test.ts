import { expect, test } from 'vitest'
import { isLoopback } from '../../src/api/loopback.ts'

test.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])(
  'isLoopback returns true for the host %s',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

test.each([
  'localhost.',
  '[::ffff:7f00:1]',
  'localhost.example',
  'mylocalhost',
  '128.0.0.1',
  '[::2]',
  '[::ffff:8000:1]',
  '127.0.0.1.example',
])('isLoopback returns false for the host %s', (host) => {
  expect(isLoopback(host)).toBe(false)
})
