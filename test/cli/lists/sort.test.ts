import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { describe, expect, test } from 'vitest'
import { omitUndefined } from '../../../src/api/defined.ts'
import { readJson, writeJson } from '../../../src/api/json.ts'
import { fieldsOfList } from '../../../src/cli/filter/where.ts'
import { ItemSorter, parseSort } from '../../../src/cli/lists/sort.ts'
import type { Item } from '../../../src/cli/output/views/views.ts'
import { perTest } from '../../helpers/per-test.ts'
import { leaves } from '../../helpers/tree.ts'
import { answer, createWorld } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createWorld)

/** Simulates a service with pages of at most two rooms. */
function serve(...items: Record<string, unknown>[]): void {
  const rooms = items.map((item, i) => ({ id: `r${i}`, type: 'open', name: `n${i}`, ...item }))
  world.intercept = async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    const room = rooms.find(({ id }) => pathname.endsWith(`/rooms/${id}`))
    if (room) return answer(200, { room })
    const offset = Number(searchParams.get('offset') ?? 0)
    return answer(200, {
      rooms: rooms.slice(offset, offset + 2),
      paging: { total: rooms.length, limit: 2, offset },
    })
  }
}

const told = '--sort reads all rooms first\n'

async function names(line: string, stderr = told): Promise<string> {
  const run = await world.run(`${line} --columns name --no-header -o tsv`)
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr })
  return run.stdout.trim().replaceAll('\n', ' ')
}

describe('--sort', () => {
  test('rooms list --sort reads all pages, prints a notice and prints the items in order', async () => {
    serve({ name: 'c' }, { name: 'a' }, { name: 'b' })
    expect(await names('rooms list --sort name')).toBe('a b c')
    expect(await names('rooms list --sort -name')).toBe('c b a')
    expect((await world.run('rooms list --sort name -q')).stderr).toBe('')
  })

  test('rooms list --sort sorts by several fields in the order of the flag', async () => {
    serve({ name: 'b', type: 'open' }, { name: 'a', type: 'private' }, { name: 'a', type: 'open' })
    expect(
      (await world.run('rooms list --sort name,-type --columns name,type --no-header -o tsv')).stdout,
    ).toBe('a\tprivate\na\topen\nb\topen\n')
  })

  test('rooms list --sort keeps the order of equal items, even in descending order', async () => {
    serve({ name: 'x' }, { name: 'y' }, { name: 'z' })
    expect(await names('rooms list --sort type')).toBe('x y z')
    expect(await names('rooms list --sort -type')).toBe('x y z')
  })

  test('rooms list --sort compares numbers by value, even if they are text', async () => {
    serve(
      { name: 'ten', meeting_time: 10 },
      { name: 'nine', meeting_time: '9' },
      { name: 'two', meeting_time: 2.5 },
    )
    expect(await names('rooms list --sort meeting_time')).toBe('two nine ten')
  })

  test('rooms list --sort compares numbers beyond double precision exactly, and prints every digit', async () => {
    const rooms = ['12345678901234567892', '12345678901234567890', '12345678901234567891']
    world.intercept = async () =>
      answer(
        200,
        `{"rooms":[${rooms.map((seats, i) => `{"id":"r${i}","type":"open","name":"n","seats":${seats}}`)}]}`,
      )
    const { stdout } = await world.run('rooms list --sort seats --json')
    expect([...stdout.matchAll(/"seats":(\d+)/g)].map(([, seats]) => seats)).toEqual(rooms.sort())
  })

  test('rooms list --sort compares times with different UTC offsets by instant', async () => {
    serve(
      { name: 'late', created_at: '2026-01-01T12:00:00.000Z' },
      { name: 'early', created_at: '2026-01-01T12:30:00+02:00' },
      { name: 'old', created_at: '2025-12-31T23:59:59Z' },
    )
    expect(await names('rooms list --sort created_at')).toBe('old early late')
  })

  test('rooms list --sort sorts text alphabetically instead of by character code', async () => {
    serve({ name: 'zoe' }, { name: 'Ärger' }, { name: 'ada' }, { name: 'Ada' }, { name: 'beta' })
    expect(await names('rooms list --sort name')).toBe('ada Ada Ärger beta zoe')
  })

  test('rooms list --sort puts null last, even in descending order', async () => {
    serve({ name: 'none', started_at: null }, { name: 'b', started_at: '2026-01-02T00:00:00Z' })
    expect(await names('rooms list --sort started_at')).toBe('b none')
    expect(await names('rooms list --sort -started_at')).toBe('b none')
  })

  test('rooms list --sort puts items without the field last and prints the number of these items', async () => {
    serve({ name: 'without' }, { name: 'with', seats: 3 })
    expect(await names('rooms list --sort -seats', `${told}1 room without seats comes last\n`)).toBe(
      'with without',
    )
  })

  test('rooms list --sort applies --limit and --offset to the sorted items', async () => {
    serve({ name: 'd' }, { name: 'c' }, { name: 'b' }, { name: 'a' })
    expect(await names('rooms list --sort name --limit 2')).toBe('a b')
    expect(await names('rooms list --sort name --limit 2 --offset 1')).toBe('b c')
    const { stdout } = await world.run('rooms list --sort name --limit 1 --json')
    expect(JSON.parse(stdout)).toMatchObject({
      rooms: [{ name: 'a' }],
      paging: { limit: 1, offset: 0, total: 4 },
    })
  })

  test('rooms list --sort sorts the matches of --where', async () => {
    serve({ name: 'b', type: 'private' }, { name: 'c' }, { name: 'a', type: 'private' })
    expect(await names('rooms list --sort name --where type=private')).toBe('a b')
  })

  test('rooms list --sort sorts by a nested field', async () => {
    serve(
      { name: 'b', metadata: { owner: { name: 'zoe' } } },
      { name: 'a', metadata: { owner: { name: 'ada' } } },
      { name: 'c', metadata: null },
    )
    expect(
      await names(
        'rooms list --sort metadata.owner.name',
        `${told}1 room without metadata.owner.name comes last\n`,
      ),
    ).toBe('a b c')
  })

  test('rooms list --sort requests the full records if lists omit the field', async () => {
    serve({ name: 'b', seats: 2 }, { name: 'a', seats: 1 })
    const whole = world.intercept
    world.intercept = async (request, next, signal) => {
      const { status, body } = (await whole?.(request, next, signal)) ?? answer(500, {})
      const value = JSON.parse(new TextDecoder().decode(body))
      const rooms = value.rooms?.map(({ id, type, name }: any) => ({ id, type, name }))
      return answer(status, rooms ? { ...value, rooms } : value)
    }
    expect(
      await names(
        'rooms list --sort seats',
        `${told}the service lists each room without some fields; requesting the full rooms one by one\n`,
      ),
    ).toBe('a b')
  })

  test('rooms list --sort with a misspelled field is refused before the first request', async () => {
    expect(await world.run('rooms list --sort -craeted_at')).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: --sort: no room has a field “craeted_at”\n' +
        'hint: did you mean: meetroom rooms list --sort -created_at --base-url https://meet.test/v1\n',
    })
    expect(world.requests).toEqual([])
  })

  test('rooms list --sort with a field that no room has is refused, unless the API specification lists the field', async () => {
    serve({}, {})
    expect(await world.run('rooms list --sort seats -q')).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: --sort: no room has a field “seats”\nhint: show all fields with: meetroom rooms list -q --json --base-url https://meet.test/v1\n',
    })
    expect((await world.run('rooms list --sort terminated_at -q')).code, 'a field of the API').toBe(0)
  })

  test.each(['', 'name,', '-', ',name'])(
    'the command “rooms list --sort=%s” is a usage error',
    async (fields) => {
      const { code, stderr } = await world.run(['rooms', 'list', `--sort=${fields}`])
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `error: --sort must be field names separated by commas, such as type,-name, not “${fields}”\n`,
      })
    },
  )

  test('rooms list --sort prints no rooms and exits 0 if there are no rooms', async () => {
    expect(await world.run('rooms list --sort name')).toMatchObject({ code: 0, stderr: `${told}no rooms\n` })
    expect(JSON.parse((await world.run('rooms list --sort name --json -q')).stdout).rooms).toEqual([])
  })

  test('users list --sort and members list --sort print the items in order', async () => {
    const { room } = (await world.send('POST', '/rooms', { name: 'n', type: 'private' })).body
    for (const user_id of ['b', 'c', 'a']) {
      await world.send('POST', '/users', { user_id, email: `${user_id}@x.test` })
      await world.send('POST', `/rooms/${room.id}/members`, { user_id })
    }
    const column = async (line: string) =>
      (await world.run(`${line} --columns user_id --no-header -o tsv -q`)).stdout
    expect(await column('users list --sort -email')).toBe('c\nb\na\n')
    expect(await column(`members list ${room.id} --sort type,user_id`)).toBe('a\nb\nc\n')
  })

  test('sessions list --sort prints the sessions in order', async () => {
    const sessions = ['2026-01-02', '2026-01-01', '2026-01-03'].map((day, i) => ({
      id: `s${i}`,
      connected_at: `${day}T00:00:00.000Z`,
      disconnected_at: null,
    }))
    world.intercept = async () => answer(200, { sessions })
    expect((await world.run('sessions list r1 --sort -connected_at -o ids -q')).stdout).toBe('s2\ns0\ns1\n')
  })

  test('every paged command has the flags --sort, --count and --count-by', async () => {
    const has = (long: string) => async () =>
      (await leaves())
        .filter(({ command }) => command.options.some((option) => option.long === long))
        .map(({ words }) => words.join(' '))
    const paging = await has('--offset')()
    expect(paging).toContain('sessions list')
    for (const flag of ['--sort', '--count', '--count-by']) expect(await has(flag)(), flag).toEqual(paging)
  })
})

// Reference implementation of the order that the help describes.
type Value = string | number | boolean | null | undefined | LosslessNumber

const collator = new Intl.Collator('en')

function expected(a: Value, b: Value, descending: boolean): number {
  const isBlank = (value: Value) => value === null || value === undefined
  if (isBlank(a) || isBlank(b)) return Number(isBlank(a)) - Number(isBlank(b))
  const order = (value: Value) => (typeof value === 'string' ? 1 : 0)
  const numeric = (value: Value) =>
    typeof value === 'boolean'
      ? value
        ? 1n
        : 0n
      : value instanceof LosslessNumber
        ? BigInt(value.value)
        : value
  const [x, y] = [numeric(a), numeric(b)]
  const found =
    order(a) - order(b) ||
    (typeof a === 'string' && typeof b === 'string'
      ? collator.compare(a, b) || (a < b ? -1 : Number(a > b))
      : Number((x ?? 0) > (y ?? 0)) - Number((x ?? 0) < (y ?? 0)))
  return descending ? -found : found
}

test('random values are sorted by the rules in the help topic', () => {
  const value = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.string({ unit: fc.constantFrom(...'aAäbßé\u0301 -1'), maxLength: 4 }),
    fc.integer({ min: -5, max: 5 }),
    // JSON numbers are finite.
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.bigInt({ min: 10n ** 19n, max: 10n ** 19n + 3n }).map((digits) => new LosslessNumber(String(digits))),
    fc.constantFrom(null, undefined),
  )
  const keys = fc.tuple(fc.boolean(), fc.boolean())
  const limits = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value)),
      keys,
      limits,
      (pairs, [first, second], [limit, surplus]) => {
        const items = pairs.map(
          ([seats, floor], id) => readJson(writeJson(omitUndefined({ id, seats, floor }))) as Item,
        )
        const text = `${first ? '-' : ''}seats,${second ? '-' : ''}floor`
        const keys = parseSort(text, fieldsOfList('listRooms'))
        const sorted = (limit?: number, surplus?: number) => {
          const sorter = new ItemSorter(keys, limit, surplus)
          for (const item of items) sorter.add(item)
          return sorter.slice(0, sorter.sort())
        }
        const reference: number[] = []
        for (const [i, [seats, floor]] of pairs.entries()) {
          const at = reference.findIndex((j) => {
            const [otherSeats, otherFloor] = pairs[j] ?? []
            return (expected(seats, otherSeats, first) || expected(floor, otherFloor, second)) < 0
          })
          reference.splice(at < 0 ? reference.length : at, 0, i)
        }
        const expectedItems = reference.map((i) => items[i])
        expect(sorted()).toEqual(expectedItems)
        expect(sorted(limit, surplus)).toEqual(expectedItems.slice(0, limit))
      },
    ),
    { numRuns: sized(30, 300) },
  )
})
