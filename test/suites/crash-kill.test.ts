import { describe, expect, test } from 'vitest'
import { sequence } from '../helpers/kill-harness.ts'
import { buildVariant, mutants, removeVariants, slowCommits, smallSteps } from '../helpers/variants.ts'
import { tempDir } from '../helpers/world.ts'
import { killEnds } from './crash/ends.ts'
import { killWebhooks } from './crash/webhooks.ts'
import { killWrites } from './crash/writes.ts'
import { counted, full, sized } from './size.ts'

const count = counted('crash (kills)')
removeVariants()

const kills = sized(2, 1000)

test(`the service keeps acknowledged and observed data after ${kills} kills`, {
  timeout: 3_600_000,
}, async () => {
  const survived = await killWrites({ dir: tempDir(), kills, most: sized(12, 30), random: sequence() })
  const { lost, open, renamed } = survived
  expect({ lost, open, renamed }).toEqual({ lost: [], open: [], renamed: [] })
  expect(survived.kills).toBe(kills)
  for (const what of ['acknowledged', 'seen', 'sessions'] as const)
    expect(survived[what]).toBeGreaterThan(kills / 2)
  count.add('kills', survived.kills)
  count.add('acknowledged writes', survived.acknowledged)
  count.add('seen writes', survived.seen)
  count.add('sessions', survived.sessions)
})

test('a session that ends in several steps ends exactly once despite kills', {
  timeout: 3_600_000,
}, async () => {
  const kills = sized(2, 200)
  const script = await buildVariant(smallSteps)
  const survived = await killEnds({ script, dir: tempDir(), kills, random: sequence(4) })
  const { wrong, sessions, acknowledged } = survived
  expect(wrong).toEqual([])
  expect(acknowledged).toBeGreaterThan(0)
  count.add('kills', kills)
  count.add('sessions', sessions)
})

const interrupted = sized(2, 100)

test(`the receiver gets each event and each acknowledged redelivery despite ${interrupted} kills`, {
  timeout: 3_600_000,
}, async () => {
  const survived = await killWebhooks({ dir: tempDir(), kills: interrupted, random: sequence(7) })
  expect(survived.wrong).toEqual([])
  expect(survived.events).toBeGreaterThan(interrupted)
  expect(survived.redeliveries).toBeGreaterThan(interrupted / 2)
  expect(survived.failures).toBeGreaterThan(0)
  count.add('kills', interrupted)
  count.add('events', survived.events)
  count.add('redeliveries', survived.redeliveries)
})

describe('slow commits', () => {
  test.runIf(full)(
    'a service with slow commits keeps acknowledged data after 50 kills',
    { timeout: 600_000 },
    async () => {
      const script = await buildVariant(slowCommits)
      const survived = await killWrites({
        script,
        dir: tempDir(),
        kills: 50,
        most: 8,
        random: sequence(2),
      })
      expect(survived).toMatchObject({ kills: 50, lost: [] })
      count.add('kills', survived.kills)
    },
  )

  const mistakes = [
    ['acknowledges a write before it is on disk', 'acknowledged'],
    ['shows uncommitted data', 'seen'],
  ] as const
  test.each(mistakes.slice(0, sized(1, 2)))(
    'the crash suite detects lost data if a service %s',
    { timeout: 600_000 },
    async (mutant, how) => {
      const script = await buildVariant([...slowCommits, ...mutants[mutant]])
      // Only a kill between a response and the commit loses data. On a busy machine, thirty kills may miss
      // that moment.
      let found: string[] = []
      for (let seed = 3; seed < 13 && found.length === 0; seed++) {
        const { lost } = await killWrites({
          script,
          dir: tempDir(),
          kills: 30,
          most: 8,
          random: sequence(seed),
        })
        found = lost.filter((line) => line.includes(` was ${how}, `))
      }
      expect(found).not.toEqual([])
      count.add('mutants caught')
    },
  )
})
