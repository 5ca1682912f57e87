import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { main } from '../../src/main.ts'
import { testHost } from '../helpers/host.ts'
import { createImportWorld, entriesOf, type ImportWorld, resultsOf } from '../helpers/imports.ts'
import { connectByUndici } from '../helpers/undici.ts'
import { type Behavior, fine, misbehaviors } from './once/misbehavior.ts'
import { type Known, startMisbehaving } from './once/server.ts'
import { counted, full, sized } from './size.ts'

const count = counted('once')
/** Seed of the random cases. MEETROOM_TEST_SEED repeats a run. */
const seed = Number(process.env['MEETROOM_TEST_SEED'] ?? Date.now() % 2 ** 31)
if (full) process.stdout.write(`once: seed ${seed}\n`)
const runs = (quick: number, whole: number) => ({ seed, numRuns: sized(quick, whole) })

const tells = (behavior: Behavior) => misbehaviors[behavior]?.tells
/** Returns true if a fault forbids a repetition, because the request was or may have been executed. */
const isLast = (behavior: Behavior) => tells(behavior) === 'nothing' || tells(behavior) === 'accepted'
/**
 * Returns the expected outcome of a request that must not be repeated, by the last behavior of the service.
 * @param needsId true if only a response with an ID proves success
 */
const outcomeOf = (behaviors: readonly Behavior[], needsId: boolean) => {
  const last = behaviors.at(-1) ?? fine
  if (last === fine || (tells(last) === 'accepted' && !needsId)) return 'ok'
  return isLast(last) ? 'unknown' : 'failed'
}

/** Behavior of the service on the first six requests for a change: on average, two fail. */
const behaviors = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(fine) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(misbehaviors)) },
  ),
  { minLength: 6, maxLength: 6 },
)

interface Setting {
  world: ImportWorld
  known: Map<string, Known>
  run(argv: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>
  stopFaults(): void
}

/**
 * Starts a faulty service.
 * @param plans behaviors on the requests for each change
 * @param numberOf returns the number of a change, by its body
 * @param byUndici true to send the requests with undici instead of node:http
 */
async function setUp(
  plans: readonly Behavior[][],
  numberOf: (body: any) => number,
  byUndici: boolean,
): Promise<Setting> {
  const world = await createImportWorld()
  let isFaultless = false
  const { baseUrl, known } = await startMisbehaving(world, (change, nth) =>
    isFaultless ? fine : (plans[numberOf(JSON.parse(change))]?.[nth] ?? fine),
  )
  return {
    world,
    known,
    stopFaults: () => {
      isFaultless = true
    },
    async run(argv) {
      const env = {
        MEETROOM_API_KEY: world.apiKey,
        MEETROOM_BASE_URL: baseUrl,
        MEETROOM_CONFIG_DIR: world.configDir,
      }
      const host = testHost({ env, cwd: world.dir })
      const code = await main(argv, host, byUndici ? connectByUndici : undefined)
      return { code, stdout: host.stdout.text, stderr: host.stderr.text }
    },
  }
}

let posts = 0

function countAll(known: Map<string, Known>): void {
  for (const { behaviors } of known.values()) {
    posts += behaviors.length
    count.add('POSTs', behaviors.length)
    count.add('faults', behaviors.filter((behavior) => behavior !== fine).length)
  }
}

const number = (text: string) => Number(text.replace(/\D+/g, '')) - 1

/** Imported kinds. The API accepts the same row again for repeatable kinds. */
const kinds = {
  rooms: { columns: 'name,type', row: (n: number) => `R${n},open`, key: 'name', repeatable: false },
  users: { columns: 'user_id,name', row: (n: number) => `u${n},N${n}`, key: 'user_id', repeatable: true },
  members: { columns: 'user_id,type', row: (n: number) => `u${n},guest`, key: 'user_id', repeatable: false },
} as const

describe.each(Object.entries(kinds))('%s import into a service with random faults', (what, kind) => {
  test(`${what} import repeats no accepted write despite random faults`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviors, { minLength: 1, maxLength: 60, size: 'max' }),
        fc.constantFrom(1, 4, 8),
        fc.constantFrom(0, 2),
        fc.boolean(),
        async (plans, concurrency, retries, byUndici) => {
          const { world, known, run, stopFaults } = await setUp(
            plans,
            (body) => number(body[kind.key]),
            byUndici,
          )
          const room = await world.room('Weekly sync')
          if (what === 'members')
            for (const n of plans.keys()) await world.send('POST', '/users', { user_id: `u${n + 1}` })
          world.file('in.csv', `${kind.columns}\n${plans.map((_, i) => `${kind.row(i + 1)}\n`).join('')}`)
          const argv = [
            ...[what, 'import', 'in.csv', '-o', 'ndjson', '--concurrency', `${concurrency}`],
            ...['--retries', `${retries}`, '--journal', 'in.csv.journal'],
            ...(what === 'users' ? ['--if-exists', 'overwrite'] : []),
            ...(what === 'members' ? ['--room', room] : []),
          ]
          const { code, stdout } = await run(argv)
          const results = resultsOf(stdout)
          const byRow = new Map(
            [...known].map(([body, record]) => [number(JSON.parse(body)[kind.key]) + 1, record]),
          )

          for (const { row, status } of results) {
            const { behaviors = [], made = 0 } = byRow.get(row) ?? {}
            const story = `row ${row}, ${status}: ${behaviors.join(', ')}`
            if (!kind.repeatable) {
              expect(made, `made twice: ${story}`).toBeLessThanOrEqual(1)
              expect(behaviors.slice(0, -1).some(isLast), `sent again: ${story}`).toBe(false)
              // A read proves an addition whose response was lost.
              if (status !== 'ok' || made !== 1) expect(status, story).toBe(outcomeOf(behaviors, true))
            }
            expect(
              behaviors.slice(0, -1).some((behavior) => behavior === fine || tells(behavior) === 'accepted'),
              `sent again after success: ${story}`,
            ).toBe(false)
            if (status === 'ok') expect(made, `not made: ${story}`).toBeGreaterThan(0)
            if (status === 'failed') expect(made, `made: ${story}`).toBe(0)
            if (status === 'unknown') expect(behaviors.some(isLast), `known: ${story}`).toBe(true)
            count.add(status)
          }
          // Every row that was sent has a result.
          expect(byRow.size).toBe(results.length)
          const statuses = new Set(results.map(({ status }) => status))
          expect(code === 0).toBe(
            results.length === plans.length && statuses.size === 1 && statuses.has('ok'),
          )
          // The journal contains the same outcomes for the resumed run.
          const noted = new Map<number, string>()
          for (const { row, status } of entriesOf(world.read('in.csv.journal')))
            if (row) noted.set(row, status)
          for (const { row, status } of results)
            expect(noted.get(row)?.replace('overwrote', 'ok')).toBe(status)

          stopFaults()
          const resumed = await run([...argv, '--resume'])
          for (const [row, { behaviors, made }] of byRow) {
            const story = `row ${row}: ${behaviors.join(', ')}`
            if (!kind.repeatable) expect(made, `not once after resuming: ${story}`).toBe(1)
            expect(made, `never made: ${story}`).toBeGreaterThan(0)
          }
          expect(known.size).toBe(plans.length)
          // Rooms have only a name, so an import cannot prove that an existing room is its own.
          if (what !== 'rooms') expect(resumed.code).toBe(0)
          countAll(known)
        },
      ),
      runs(3, 150),
    )
  })
})

/** Commands whose request must not be sent twice. */
const commands: readonly ((room: string, n: number) => string[])[] = [
  (_room, n) => ['rooms', 'create', '--name', `R${n}`, '--type', 'open'],
  (room, n) => ['message', 'send', room, `M${n}`],
  (room, n) => ['members', 'add', room, `u${n}`],
  (room, n) => ['pages', 'create', room, '--image', `https://img.test/${n}.png`],
]
const codes = { ok: [0], unknown: [7], failed: [1, 6] }

test('a command that creates an item exits 0 only if the service created the item', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat({ max: commands.length - 1 }), behaviors), { minLength: 1, maxLength: 20 }),
      fc.constantFrom('table', 'json'),
      fc.boolean(),
      async (cases, format, byUndici) => {
        const plans = cases.map(([, plan]) => plan)
        let current = 0
        const { world, known, run } = await setUp(plans, () => current, byUndici)
        const room = await world.room('Weekly sync')
        for (const [n, [command]] of cases.entries()) {
          current = n
          known.clear()
          if (command === 2) await world.send('POST', '/users', { user_id: `u${n}` })
          const argv = commands[command]?.(room, n) ?? []
          const { code, stdout, stderr } = await run([...argv, '-q', '-o', format, '--retries', '2'])
          const [{ behaviors, made } = { behaviors: [], made: 0 }] = [...known.values()]
          const story = `${argv.join(' ')}: ${behaviors.join(', ')}\n${stderr}`
          // The response to a message needs no ID.
          const told = outcomeOf(behaviors, argv[0] !== 'message')
          // A read proves a creation whose response was lost.
          const outcome = told === 'unknown' && code === 0 && made === 1 ? 'ok' : told
          expect(codes[outcome], story).toContain(code)
          expect(made, story).toBe(outcome === 'ok' || misbehaviors[behaviors.at(-1) ?? '']?.acts ? 1 : 0)
          expect(known.size, story).toBe(1)
          if (tells(behaviors.at(-1) ?? fine) !== 'accepted') expect(stdout !== '', story).toBe(code === 0)
          if (outcome === 'unknown')
            expect(stderr, story).toMatch(/is unknown|its response cannot be read|does not show whether/)
          count.add(outcome)
          countAll(known)
        }
      },
    ),
    runs(4, 60),
  )
})

test.runIf(full)('the once suite sends at least 10,000 POST requests', () => {
  expect(posts).toBeGreaterThanOrEqual(10_000)
})
