import { describe, expect, test } from 'vitest'
import type { Context } from '../../../src/cli/kernel/context.ts'
import { PendingProofs } from '../../../src/cli/run/pending-proofs.ts'
import { Run } from '../../../src/cli/run/run.ts'
import { Tally } from '../../../src/cli/run/tally.ts'
import type { Outcome } from '../../../src/client/outcome.ts'
import { NetworkError, NotFoundError } from '../../../src/errors.ts'
import { createPace } from '../../helpers/pace.ts'
import { latch } from '../../helpers/waiting.ts'

function createRun(concurrency?: number, isUnlimited = false): Run {
  const stop = new AbortController()
  const unused = () => {
    throw new Error('there is no service')
  }
  const client = {
    call: unused,
    find: unused,
    request: unused,
    ready: unused,
    isService: unused,
    serviceFacts: {},
  }
  const statusLine = { clear() {} }
  const context = { flags: { quiet: true }, interrupt: stop.signal, statusLine } as unknown as Context
  return new Run(context, {
    ...{ client, stop, isUnlimited },
    tally: new Tally(0, () => ''),
    pace: createPace(concurrency === undefined ? {} : { concurrency }, stop).pace,
    proofs: new PendingProofs(stop.signal),
    maxFailures: Number.POSITIVE_INFINITY,
  })
}

async function* numbers(taken: number[], end = Number.POSITIVE_INFINITY) {
  for (let n = 0; n < end; n++) {
    taken.push(n)
    yield n
  }
}

const later = () => new Promise((resolve) => setImmediate(resolve))
const double = async (n: number): Promise<Outcome<number>> => ({ status: 'ok', value: 2 * n })

describe('Run.each()', () => {
  test('Run.each() reports the outcomes in input order regardless of their durations', async () => {
    const results = []
    const act = async (n: number) => {
      for (let i = 0; i < (n * 7) % 5; i++) await later()
      return double(n)
    }
    for await (const [n, outcome] of createRun(4).each(numbers([], 40), act))
      results.push([n, 'value' in outcome && outcome.value])
    expect(results).toEqual(Array.from({ length: 40 }, (_, n) => [n, 2 * n]))
  })

  test('Run.each() reads only a few items ahead of the consumer', async () => {
    const taken: number[] = []
    let active = 0
    let most = 0
    const act = async (n: number) => {
      most = Math.max(most, ++active)
      await later()
      active--
      return double(n)
    }
    for await (const [n] of createRun(3).each(numbers(taken), act)) {
      await later()
      if (n === 20) break
    }
    expect(most).toBe(3)
    expect(taken.length).toBeLessThanOrEqual(21 + 2 * 3 + 1)
    expect(active).toBe(0)
  })

  test('Run.each() starts up to 64 items while the first item is pending', async () => {
    const taken: number[] = []
    const { open, opened } = latch()
    const act = async (n: number) => {
      if (n === 0) await opened
      if (taken.length >= 64) open()
      return double(n)
    }
    for await (const [n] of createRun().each(numbers(taken), act)) if (n === 0) break
    expect(taken).toHaveLength(64)
  })

  test('Run.each() reports an error of one item as the failure of this item and continues', async () => {
    const outcomes = []
    const act = async (n: number) => {
      if (n === 1) throw new TypeError('odd')
      return double(n)
    }
    for await (const [, { status }] of createRun(2).each([0, 1, 2], act)) outcomes.push(status)
    expect(outcomes).toEqual(['ok', 'failed', 'ok'])
  })

  test('Run.each() reports the started items, then throws the error of a failed source', async () => {
    async function* broken() {
      yield 1
      throw new TypeError('no more')
    }
    const told: number[] = []
    await expect(async () => {
      for await (const [n] of createRun(2).each(broken(), double)) told.push(n)
    }).rejects.toThrow('no more')
    expect(told).toEqual([1])
  })

  test('Run.each() stops reading a stream after run.stop()', async () => {
    const run = createRun(2)
    const outcomes = []
    for await (const [n, { status }] of run.each(numbers([], 10), double)) {
      outcomes.push(status)
      if (n === 3) run.stop()
    }
    expect(outcomes.slice(0, 4)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(outcomes.length).toBeLessThan(10)
  })
})

test('Run.read() throws the error of the first failed item after the earlier results', async () => {
  const read = async (n: number) => {
    for (let i = n; i < 5; i++) await later()
    if (n >= 3) throw new NotFoundError(`no ${n}`)
    return 2 * n
  }
  const results: number[] = []
  await expect(async () => {
    for await (const result of createRun(4).read(numbers([]), read)) results.push(result)
  }).rejects.toThrow('no 3')
  expect(results).toEqual([0, 2, 4])
})

test.each([true, false])(
  'Run.each() with isUnlimited=%s reports each item of an array after run.stop()',
  async (isUnlimited) => {
    const run = createRun(2, isUnlimited)
    run.stop()
    const known = (n: number) => (n === 3 ? ({ status: 'skipped' } as const) : undefined)
    const outcomes = []
    for await (const [n, { status }] of run.each([1, 2, 3], double, known)) outcomes.push([n, status])
    expect(outcomes).toEqual([
      [1, 'unsent'],
      [2, 'unsent'],
      [3, 'skipped'],
    ])
    expect(run.tally.tried).toBe(1)
  },
)

test('Run.each() of an unlimited run starts all items before the first is done', async () => {
  const { open, opened } = latch()
  const worked: number[] = []
  const act = async (n: number) => {
    if (n === 0) await opened
    worked.push(n)
    if (worked.length === 198) open()
    return double(n)
  }
  const known = (n: number) => (n === 7 ? ({ status: 'skipped' } as const) : undefined)
  const statuses = []
  const items = Array.from({ length: 200 }, (_, n) => n)
  for await (const [n, { status }] of createRun(2, true).each(items, act, known)) statuses[n] = status
  expect(worked).toHaveLength(199)
  expect(worked).not.toContain(7)
  expect(statuses.filter((status) => status === 'ok')).toHaveLength(199)
})

test('Run.finish() returns the first fatal failure in item order', async () => {
  const run = createRun(2, true)
  const { open, opened } = latch()
  const act = async (n: number): Promise<Outcome<number>> => {
    if (n === 0) await opened
    open()
    throw new NetworkError(`no response to ${n}`)
  }
  const statuses = []
  for await (const [, { status }] of run.each([0, 1, 2, 3], act)) statuses.push(status)
  expect(statuses).toEqual(['failed', 'failed', 'unsent', 'unsent'])
  expect((await run.finish())?.message).toBe('no response to 0')
})
