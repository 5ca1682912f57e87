import { expect, test } from 'vitest'
import { importKillLoop } from '../../../helpers/import-kill.ts'
import { sequence } from '../../../helpers/kill-harness.ts'
import { tempDir } from '../../../helpers/world.ts'
import { sized } from '../../../suites/size.ts'

const kills = sized(2, 50)

test(`users import creates every user exactly once if it is killed and resumed ${kills} times`, {
  timeout: sized(60_000, 3_600_000),
}, async () => {
  const survived = await importKillLoop({
    kind: 'users',
    dir: tempDir(),
    kills,
    rows: sized(60, 1000),
    random: sequence(7),
  })
  expect(survived).toMatchObject({ codes: [0], lost: [], repeated: [], actedTwice: [], unknown: 0 })
  expect(survived.kills).toBeGreaterThanOrEqual(kills)
})

test('rooms import reports unknown outcomes and creates no duplicates if it is killed and resumed', {
  timeout: sized(60_000, 3_600_000),
}, async () => {
  const survived = await importKillLoop({
    kind: 'rooms',
    dir: tempDir(),
    kills: sized(3, 30),
    rows: sized(60, 300),
    random: sequence(7),
  })
  expect(survived).toMatchObject({ lost: [], repeated: [], actedTwice: [], unfounded: [] })
  expect(survived.unknown).toBeGreaterThan(0)
})
