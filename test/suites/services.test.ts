import { describe, expect, test } from 'vitest'
import { leaves } from '../helpers/tree.ts'
import type { FakeService } from './services/fake.ts'
import { knownLimit } from './services/limits.ts'
import { type Scenario, scenarios, without } from './services/scenarios.ts'
import { openSchool } from './services/school.ts'
import { plain, services } from './services/table.ts'
import { counted, full } from './size.ts'

const count = counted('services')

/** Number of scenarios that a service is tried with in the quick form; the next service goes on with the following ones. */
const maxDirectEnds = 2

/** Every scenario; in the quick form a few, taking turns. */
function scenariosFor(fake: FakeService, index: number): readonly Scenario[] {
  if (full || fake === plain) return scenarios
  return Array.from(
    { length: maxDirectEnds },
    (_, i) => scenarios[(index * maxDirectEnds + i) % scenarios.length] as Scenario,
  )
}

const unmatched =
  /^\d+ \w+ without \w+ do(es)? not match$|^warning: \d+ sessions without a readable beginning left out/m

/** What is wrong with the result of a command; undefined for nothing. */
async function problemOf(fake: FakeService, scenario: Scenario): Promise<string | undefined> {
  const school = await openSchool(fake)
  const before = await school.state()
  const argv = scenario.argv(school)
  const run = await school.run(argv, scenario.stdin)
  const says = (problem: string) =>
    `${argv.join(' ')}: exit ${run.code}: ${problem}\n${run.stdout.slice(0, 300)}${run.stderr.slice(0, 600)}`
  if (run.code === 70) return says('a bug')
  // Items without the field that a command needs are left out, and a notice counts them.
  if (run.code === 0 && unmatched.test(run.stderr)) return undefined
  if (run.code === 7 && !scenario.done) return says('the outcome of a read is never unknown')
  if (scenario.done && run.code === 0 && !scenario.done(await school.state(), before, school))
    return says('the state does not show the change')
  if (scenario.rows && (run.code === 0 || run.code === 8)) {
    const printed = scenario.printed?.(run) ?? run.stdout.split(/\r?\n/).slice(0, -1)
    const rows = scenario.rows(before, school)
    const unknown = printed.filter((row) => row !== '' && !rows.includes(row))
    if (unknown.length > 0 && run.code === 0) return says(`the service does not hold ${unknown.join('; ')}`)
    if (run.code === 0 && !scenario.isPart && printed.length !== rows.length)
      return says(`${printed.length} of ${rows.length} rows`)
  }
  if (fake === plain && run.code !== 0 && !scenario.isNeverDone)
    return says('this service does all that it says')
  return undefined
}

test('the services suite covers at least 100 services and 50 scenarios', () => {
  expect(services.length).toBeGreaterThanOrEqual(100)
  expect(new Set(services.map(({ name }) => name)).size).toBe(services.length)
  expect(scenarios.length).toBeGreaterThanOrEqual(50)
})

test('every command has a scenario or a documented exemption in this suite', async () => {
  const all = (await leaves()).map(({ words }) => words.join(' '))
  const covered = new Set([...scenarios.map(({ leaf }) => leaf), ...Object.keys(without)])
  expect([...all].filter((leaf) => !covered.has(leaf))).toEqual([])
  expect([...covered].filter((leaf) => !all.includes(leaf))).toEqual([])
})

describe('every command exits 0 only with a correct result from a service that', () => {
  test.each(services.map((fake, index) => [fake.name, index, fake] as const))(
    '%s',
    async (_name, index, fake) => {
      const problems: string[] = []
      for (const scenario of scenariosFor(fake, index)) {
        const problem = await problemOf(fake, scenario)
        if (problem !== undefined && !knownLimit(fake, scenario)) problems.push(problem)
        count.add('commands')
      }
      count.add('services')
      if (problems.length > 0) expect.fail(`${problems.length} problems\n${problems.join('\n')}`)
    },
  )
})
