import { expect, test } from 'vitest'
import { launcher } from '../helpers/built.ts'
import { killWebhooks } from '../helpers/kill-webhooks.ts'
import { tempDir } from '../helpers/world.ts'
import { counted, sized } from './size.ts'

const count = counted('crash (webhooks)')

function sequence(seed: number): () => number {
  return () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  }
}

const kills = sized(8, 100)

test(`every event and every acknowledged redelivery reaches the receiver with one ID despite ${kills} kills`, {
  timeout: 3_600_000,
}, async () => {
  const survived = await killWebhooks({ script: launcher, dir: tempDir(), kills, random: sequence(7) })
  expect(survived.wrong).toEqual([])
  expect(survived.events).toBeGreaterThan(kills)
  expect(survived.redeliveries).toBeGreaterThan(kills / 2)
  expect(survived.failures).toBeGreaterThan(0)
  count.add('kills', kills)
  count.add('events', survived.events)
  count.add('redeliveries', survived.redeliveries)
})
