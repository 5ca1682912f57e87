import { describe, expect, test } from 'vitest'
import { leaves } from '../helpers/tree.ts'
import type { FakeService } from './services/fake.ts'
import { asSpecified } from './services/fakes/values.ts'
import { judge, runIn } from './services/judge.ts'
import { knownLimit } from './services/limits.ts'
import { type ReadScenario, reads } from './services/reads.ts'
import { leavesOut } from './services/report.ts'
import { openSchool } from './services/school.ts'
import { hasOtherReads, plain, services } from './services/table.ts'
import { without } from './services/without.ts'
import type { WriteScenario } from './services/writes/scenario.ts'
import { writes } from './services/writes.ts'
import { counted, full, share } from './size.ts'

const count = counted('services')
const scenarios: readonly (ReadScenario | WriteScenario)[] = [...reads, ...writes]

/**
 * All services in a full run. A quick run has about half of the services with other reads, and a sixth of the
 * rest.
 */
const tried = services.filter((fake, index) => full || index % (hasOtherReads(fake) ? 2 : 6) === 0)

/**
 * Returns all applicable scenarios in a full run, and one in rotation in a quick run. The embedded service
 * gets all reads and no writes, because the tests of recorded requests cover its writes.
 */
function scenariosFor(fake: FakeService, index: number): readonly (ReadScenario | WriteScenario)[] {
  if (fake === plain) return reads
  const all = hasOtherReads(fake) ? scenarios : writes
  return share(all, -index, all.length)
}

async function problemOf(fake: FakeService, scenario: ReadScenario): Promise<string | undefined> {
  const school = await openSchool(fake)
  const before = await school.state()
  const argv = scenario.argv(school)
  const run = await school.run(argv)
  const says = (problem: string) =>
    `${argv.join(' ')}: exit ${run.code}: ${problem}\n${run.stdout.slice(0, 300)}${run.stderr.slice(0, 600)}`
  if (run.code === 70) return says('a bug')
  if (leavesOut(run)) return undefined
  if (run.code === 7) return says('the outcome of a read is never unknown')
  if (scenario.isNeverDone && run.code === 0) return says('the state does not show it')
  if (scenario.rows && (run.code === 0 || run.code === 8)) {
    const printed = scenario.printed?.(run) ?? run.stdout.split(/\r?\n/).slice(0, -1)
    const rows = scenario.rows(before, school)
    const unknown = printed.filter((row) => row !== '' && !rows.includes(row))
    if (unknown.length > 0 && run.code === 0) return says(`the service does not hold ${unknown.join('; ')}`)
    if (run.code === 0 && !scenario.isPart && printed.length !== rows.length)
      return says(`${printed.length} of ${rows.length} rows`)
  }
  if ((fake === plain || fake.isReadable) && run.code !== 0 && !scenario.isNeverDone)
    return says('this service does all that it says')
  return undefined
}

test('the services suite covers at least 270 services and 80 scenarios', () => {
  expect(services.length).toBeGreaterThanOrEqual(270)
  expect(new Set(services.map(({ name }) => name)).size).toBe(services.length)
  expect(scenarios.length).toBeGreaterThanOrEqual(80)
})

test('every command has a scenario or an exemption in the services suite', async () => {
  const all = (await leaves()).map(({ words }) => words.join(' '))
  const covered = new Set([...scenarios.map(({ leaf }) => leaf), ...Object.keys(without)])
  expect([...all].filter((leaf) => !covered.has(leaf))).toEqual([])
  expect([...covered].filter((leaf) => !all.includes(leaf))).toEqual([])
})

async function judgeCounted(fake: FakeService, scenario: WriteScenario) {
  const judgement = await judge(fake, scenario)
  for (const { kind } of judgement.problems) count.add(kind)
  count.add('commands', judgement.runs)
  count.add('verdicts that no client can know to be wrong', judgement.accepted)
  return { texts: judgement.problems.map(({ text }) => text), requests: judgement.requests }
}

function expectNone(problems: readonly string[]): void {
  if (problems.length > 0) expect.fail(`${problems.length} problems\n${problems.join('\n')}`)
}

describe('recorded requests', () => {
  test.each([
    ['the embedded service', plain, 'embedded'],
    ['a service with the fields of the API specification', asSpecified, 'specified'],
  ])('write commands send the recorded requests to %s', { timeout: 120_000 }, async (_name, fake, file) => {
    const problems: string[] = []
    const blocks: (readonly string[])[] = []
    for (const scenario of writes) {
      const { texts, requests } = await judgeCounted(fake, scenario)
      problems.push(...texts)
      blocks.push(requests)
    }
    expectNone(problems)
    await expect(textOf(blocks)).toMatchFileSnapshot(`../fixtures/requests/${file}.txt`)
  })

  test('write commands with --dry-run send only the recorded reads', async () => {
    const school = await openSchool(plain)
    const blocks: (readonly string[])[] = []
    for (const scenario of writes.filter(({ prepare }) => !prepare)) {
      // In a quick run, cli/requests/safety.test.ts runs commands with --curl.
      if (full) expect((await runIn(school, scenario, '--curl')).requests.slice(1)).toEqual(['  nothing'])
      blocks.push((await runIn(school, scenario, '--dry-run')).requests)
    }
    const text = textOf(blocks)
    expect(text).not.toMatch(/^ {2}(?!GET|nothing)/m)
    await expect(text).toMatchFileSnapshot('../fixtures/requests/dry-run.txt')
  })
})

const textOf = (blocks: readonly (readonly string[])[]) =>
  `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`

describe('outcomes with unusual services', () => {
  test.each(tried.map((fake, index) => [fake.name, index, fake] as const))(
    'commands report the correct outcome if the service %s',
    async (_name, index, fake) => {
      const problems: string[] = []
      for (const scenario of scenariosFor(fake, index)) {
        if ('targets' in scenario) {
          problems.push(...(await judgeCounted(fake, scenario)).texts)
          continue
        }
        const problem = await problemOf(fake, scenario)
        if (problem !== undefined && !knownLimit(fake, scenario, problem)) problems.push(problem)
        count.add('commands')
      }
      count.add('services')
      expectNone(problems)
    },
  )
})
