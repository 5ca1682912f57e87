import { describe, expect, test } from 'vitest'
import type { Context } from '../../../src/cli/kernel/context.ts'
import { readInOrder, runInOrder, startAll } from '../../../src/cli/run/in-order.ts'
import { runJobs } from '../../../src/cli/run/jobs.ts'
import { PendingProofs } from '../../../src/cli/run/pending-proofs.ts'
import type { Pool } from '../../../src/cli/run/pool.ts'
import type { Outcome } from '../../../src/client/outcome.ts'
import { NotFoundError } from '../../../src/errors.ts'
import { createPace } from '../../helpers/pace.ts'
import { latch } from '../../helpers/waiting.ts'

/** A pool of so many at once, without a service. */
function poolOf(concurrency: number, maxConcurrency = concurrency): Pool {
  const stop = new AbortController()
  const unused = () => {
    throw new Error('there is no service')
  }
  return {
    client: {
      call: unused,
      find: unused,
      request: unused,
      ready: unused,
      isService: unused,
      serviceFacts: {},
    },
    concurrency,
    maxConcurrency,
    get isStopped() {
      return stop.signal.aborted
    },
    stop: () => stop.abort(),
    count() {},
    run: (work) => runJobs(work, createPace({ concurrency }, stop).pace, new PendingProofs(stop.signal)),
  }
}

/** Numbers without an end, as far as they are asked for. */
async function* numbers(taken: number[], end = Number.POSITIVE_INFINITY) {
  for (let n = 0; n < end; n++) {
    taken.push(n)
    yield n
  }
}

const later = () => new Promise((resolve) => setImmediate(resolve))
const double = async (n: number): Promise<Outcome<number>> => ({ status: 'ok', value: 2 * n })

describe('runInOrder', () => {
  test('reports the outcomes in input order regardless of their durations', async () => {
    const results = []
    const act = async (n: number) => {
      for (let i = 0; i < (n * 7) % 5; i++) await later()
      return double(n)
    }
    for await (const [n, outcome] of runInOrder(poolOf(4), numbers([], 40), act))
      results.push([n, 'value' in outcome && outcome.value])
    expect(results).toEqual(Array.from({ length: 40 }, (_, n) => [n, 2 * n]))
  })

  test('reads only a few items in advance, and stops if the consumer stops', async () => {
    const taken: number[] = []
    let active = 0
    let most = 0
    const act = async (n: number) => {
      most = Math.max(most, ++active)
      await later()
      active--
      return double(n)
    }
    for await (const [n] of runInOrder(poolOf(3), numbers(taken), act)) {
      await later()
      if (n === 20) break
    }
    expect(most).toBe(3)
    expect(taken.length).toBeLessThanOrEqual(21 + 2 * 3 + 1)
    expect(active).toBe(0)
  })

  test('runs items up to the maximum concurrency while the first item is not done', async () => {
    const taken: number[] = []
    const { open, opened } = latch()
    const act = async (n: number) => {
      if (n === 0) await opened
      if (taken.length >= 64) open()
      return double(n)
    }
    for await (const [n] of runInOrder(poolOf(3, 64), numbers(taken), act)) if (n === 0) break
    expect(taken).toHaveLength(64)
  })

  test('reports an error of one item as the failure of this item and continues', async () => {
    const outcomes = []
    const act = async (n: number) => {
      if (n === 1) throw new TypeError('odd')
      return double(n)
    }
    for await (const [, { status }] of runInOrder(poolOf(2), [0, 1, 2], act)) outcomes.push(status)
    expect(outcomes).toEqual(['ok', 'failed', 'ok'])
  })

  test('throws an error of the source after it reports the started items', async () => {
    async function* broken() {
      yield 1
      throw new TypeError('no more')
    }
    const told: number[] = []
    await expect(async () => {
      for await (const [n] of runInOrder(poolOf(2), broken(), double)) told.push(n)
    }).rejects.toThrow('no more')
    expect(told).toEqual([1])
  })

  test('starts no further item after the pool is stopped', async () => {
    const pool = poolOf(2)
    const outcomes = []
    for await (const [n, { status }] of runInOrder(pool, numbers([], 10), double)) {
      outcomes.push(status)
      if (n === 3) pool.stop()
    }
    expect(outcomes.slice(0, 4)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(outcomes.length).toBeLessThan(10)
  })
})

test('readInOrder yields the results before the first failed item and throws its error', async () => {
  const read = async (n: number) => {
    for (let i = n; i < 5; i++) await later()
    if (n >= 3) throw new NotFoundError(`no ${n}`)
    return 2 * n
  }
  const results: number[] = []
  await expect(async () => {
    const context = { interrupt: new AbortController().signal } as Context
    for await (const result of readInOrder(context, poolOf(4), numbers([]), read)) results.push(result)
  }).rejects.toThrow('no 3')
  expect(results).toEqual([0, 2, 4])
})

test('startAll with a stopped pool reports every item as unsent', async () => {
  const pool = poolOf(2)
  pool.stop()
  expect(await Promise.all(startAll(pool, [1, 2], double))).toEqual([
    { status: 'unsent' },
    { status: 'unsent' },
  ])
})
