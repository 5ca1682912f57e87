import { expect, test } from 'vitest'
import { killLoop } from '../helpers/kill-loop.ts'
import { tempDir } from '../helpers/world.ts'

test('what was acknowledged survives kill -9, sessions end once, and every event is delivered', {
  timeout: 60_000,
}, async () => {
  // A fixed sequence: the kills come at odd moments all the same.
  let seed = 1
  const random = () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  }
  const { acknowledged, found, sessions, open, undelivered, renamed } = await killLoop({
    dir: tempDir(),
    kills: 10,
    random,
  })
  expect({ found, open, undelivered, renamed }).toEqual({
    found: acknowledged,
    open: 0,
    undelivered: [],
    renamed: [],
  })
  expect(acknowledged).toBeGreaterThan(10)
  expect(sessions).toBeGreaterThan(10)
})
