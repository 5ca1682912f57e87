import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../../../../src/api/wire.ts'
import { ReadAhead } from '../../../../src/cli/lists/paging/read-ahead.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)
const ids = (count: number) => Array.from({ length: count }, (_, i) => `r${i + 1}`)

const roomOf = (id: string) => ({ id, type: 'open', name: `Room ${id}` })

interface Distance {
  latencyMs: number
  /** Duration of each write to standard output, in milliseconds; 1 by default. */
  readerMs?: number
  pageOf?: (offset: number, query: URLSearchParams) => { rooms: string[]; total?: number }
  /** Latency in milliseconds, `latencyMs` by default; `request` counts from 1. */
  delayOf?: (request: number) => number
}

/** Runs a command with a simulated latency, on a clock that advances while the program waits. */
async function runAtDistance(
  command: string,
  { latencyMs, readerMs = 1, pageOf = pagesOf(ids(2000), 100), delayOf = () => latencyMs }: Distance,
) {
  const waiting: { at: number; resolve: () => void }[] = []
  const inFlight: number[] = []
  const offsets: number[] = []
  let [now, pending, isOver] = [0, 0, false]
  const elapse = (ms: number) => new Promise<void>((resolve) => void waiting.push({ at: now + ms, resolve }))
  world.intercept = async ({ url }): Promise<WireResponse> => {
    const { searchParams, pathname } = new URL(url)
    const id = /\/rooms\/(.+)/.exec(pathname)?.[1]
    if (id) return answer(200, { room: roomOf(id) })
    const offset = Number(searchParams.get('offset') ?? 0)
    offsets.push(offset)
    inFlight.push(++pending)
    await elapse(delayOf(offsets.length))
    pending--
    const { rooms, total } = pageOf(offset, searchParams)
    return answer(200, {
      rooms: rooms.map(roomOf),
      paging: { offset, total },
    })
  }
  const { host, done } = world.start(command.split(' '))
  host.monotonic = () => now
  const write = host.stdout.write.bind(host.stdout)
  host.stdout.write = async (data) => {
    await elapse(readerMs)
    return write(data)
  }
  void done.finally(() => {
    isOver = true
  })
  while (!isOver) {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    const next = waiting.toSorted((a, b) => a.at - b.at)[0]
    if (!next) continue
    waiting.splice(waiting.indexOf(next), 1)
    now = next.at
    next.resolve()
  }
  const { code, stdout, stderr } = await done
  const printed = stdout.split('\n').slice(0, -1)
  return { code, stderr, ids: printed, offsets, ms: now, inFlight, most: Math.max(...inFlight) }
}

function pagesOf(rooms: string[], cap: number) {
  return (offset: number, query: URLSearchParams) => ({
    rooms: rooms.slice(offset, offset + Math.min(cap, Number(query.get('limit') ?? 30))),
    total: rooms.length,
  })
}

const steps = (end: number, step: number) => Array.from({ length: end / step + 1 }, (_, i) => i * step)

describe('a list', () => {
  test('a list of a service with high latency is read in order with 8 requests in flight', async () => {
    const { ms, ...result } = await runAtDistance('rooms list --all -o ids', { latencyMs: 50 })
    expect(result).toMatchObject({ code: 0, stderr: '', ids: ids(2000), offsets: steps(2000, 100), most: 8 })
    expect(ms).toBeLessThan(0.4 * 21 * 50)
  })

  test('a list of 20,000 rooms with a latency of 50 ms takes at most a fifth of the sequential time', async () => {
    const pageOf = pagesOf(ids(20_000), 100)
    const { code, ms, offsets } = await runAtDistance('rooms list --all -o ids', { latencyMs: 50, pageOf })
    expect({ code, offsets }).toEqual({ code: 0, offsets: steps(20_000, 100) })
    expect(ms).toBeLessThan(0.2 * 201 * 50)
  })

  test('a list of a service with low latency is read with two requests in flight', async () => {
    const result = await runAtDistance('rooms list --all -o ids', { latencyMs: 1 })
    expect(result).toMatchObject({ code: 0, ids: ids(2000), offsets: steps(2000, 100), most: 2 })
  })

  test('a list with a slow reader is read with two requests in flight', async () => {
    const result = await runAtDistance('rooms list --all -o ids', { latencyMs: 50, readerMs: 500 })
    expect(result).toMatchObject({ code: 0, ids: ids(2000), offsets: steps(2000, 100), most: 2 })
  })

  test('a list with a reader that takes a third of the latency per page is read with four requests in flight', async () => {
    const result = await runAtDistance('rooms list --all -o ids', { latencyMs: 60, readerMs: 20 })
    expect(result).toMatchObject({ code: 0, ids: ids(2000), most: 4 })
  })

  test('a list that fits in one page is read with one request', async () => {
    const pageOf = pagesOf(ids(40), 100)
    const result = await runAtDistance('rooms list --all -o ids', { latencyMs: 50, pageOf })
    expect(result).toMatchObject({ code: 0, ids: ids(40), offsets: [0], most: 1 })
  })

  test('a list without a total is read with one request in flight', async () => {
    const pageOf = (offset: number, query: URLSearchParams) => ({
      rooms: pagesOf(ids(700), 100)(offset, query).rooms,
    })
    const result = await runAtDistance('rooms list --all -o ids', { latencyMs: 50, pageOf })
    expect(result).toMatchObject({ code: 0, ids: ids(700), offsets: steps(700, 100), most: 1 })
  })

  test('a list with --limit requests no page after the limit', async () => {
    const result = await runAtDistance('rooms list --limit 1250 -o ids', { latencyMs: 50 })
    expect(result).toMatchObject({ code: 0, ids: ids(1250), offsets: steps(1200, 100) })
  })

  test('a list of a service that reduces its page size is complete, with at most 8 wasted requests per reduction', async () => {
    const caps = [100, 60, 25]
    const pageOf = (offset: number, query: URLSearchParams) =>
      pagesOf(ids(2000), caps[Math.floor(offset / 700)] ?? 25)(offset, query)
    const result = await runAtDistance('rooms list --all -o ids', { latencyMs: 50, pageOf })
    expect(result).toMatchObject({ code: 0, stderr: '', ids: ids(2000) })
    // 7, 12 and 24 pages, and one request that confirms the end.
    expect(result.offsets.length).toBeLessThanOrEqual(44 + 2 * 8)
  })

  test('a list with pages of many sizes is complete with at most four requests in flight', async () => {
    const pageOf = (offset: number) => {
      const size = 20 + ((7 * offset) % 11)
      return { rooms: ids(2000).slice(offset, offset + size), total: 2000 }
    }
    const result = await runAtDistance('rooms list --all -o ids', { latencyMs: 50, pageOf })
    expect(result).toMatchObject({ code: 0, stderr: '', ids: ids(2000) })
    expect(result.most).toBeLessThanOrEqual(4)
  })

  test('a list of a service that becomes slow is read with fewer requests in flight', async () => {
    const delayOf = (request: number) => (request > 40 ? 2000 : 50)
    const pageOf = pagesOf(ids(20_000), 100)
    const { inFlight, ...result } = await runAtDistance('rooms list --all -o ids', {
      ...{ latencyMs: 50, pageOf, delayOf },
    })
    expect(result).toMatchObject({ ids: ids(20_000), offsets: steps(20_000, 100), most: 8 })
    // Eight requests may be in flight when the delay begins.
    expect(Math.max(...inFlight.slice(48))).toBe(2)
  })
})

test('a page that is requested ahead and refused with 429 is requested again when the page is needed', async () => {
  const page = pagesOf(ids(500), 100)
  const refused = new Set(['100', '200'])
  world.intercept = async ({ url }) => {
    const { searchParams } = new URL(url)
    const offset = searchParams.get('offset') ?? '0'
    if (refused.delete(offset)) return answer(429, {})
    const { rooms, total } = page(Number(offset), searchParams)
    return answer(200, { rooms: rooms.map(roomOf), paging: { total } })
  }
  const { code, stdout, stderr } = await world.run('rooms list --all -o ids --retries 0')
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: ids(500)
      .map((id) => `${id}\n`)
      .join(''),
    stderr: '',
  })
})

test('an export from a service with high latency is read with 8 requests in flight', async () => {
  const { code, most } = await runAtDistance('rooms export -o csv --columns id', { latencyMs: 50 })
  expect({ code, most }).toEqual({ code: 0, most: 8 })
})

test('a list reads ahead at most three pages of 2.5 MB or one page of 10 MB', () => {
  const pagesOf = (megabytes: number) => {
    let now = 0
    const readAhead = new ReadAhead({ clock: { monotonic: () => now } })
    for (let page = 0; page < 20; page++) {
      readAhead.onNeeded()
      readAhead.onReceived(500, megabytes * 2 ** 20)
      now += 1
    }
    readAhead.onNeeded()
    return readAhead.pages
  }
  expect([pagesOf(2.5), pagesOf(10)]).toEqual([3, 1])
})
