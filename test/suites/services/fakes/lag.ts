import type { WireRequest, WireResponse } from '../../../../src/api/wire.ts'
import {
  answer,
  type Exchange,
  type FakeService,
  isWrite,
  jsonOf,
  type Next,
  pathOf,
  type Setting,
} from '../fake.ts'
import type { Proof } from '../proof.ts'

const acknowledged = () => answer(202, { status: 'accepted' }, { location: '/operations/1' })

/** Milliseconds and number of earlier reads since the last write. */
interface TimeSinceWrite {
  readonly ms: number
  readonly reads: number
}

/**
 * Creates a service that queues writes, and executes them before a read for which `isDue` returns true, or
 * before the suite reads the state directly.
 */
function queue(name: string, proof: Proof, isDue: (waited: TimeSinceWrite) => boolean): FakeService {
  return {
    name,
    answers: 'acknowledges',
    ...proof,
    make({ now, atEnd }): Exchange {
      const waiting: (() => Promise<unknown>)[] = []
      let [written, reads] = [0, 0]
      let executing = Promise.resolve()
      // A due read waits for a running execution.
      const execute = () => {
        executing = executing.then(async () => {
          for (const write of waiting.splice(0)) await write()
        })
        return executing
      }
      return async (request, next) => {
        if (isWrite(request)) {
          waiting.push(next)
          written = now()
          reads = 0
          atEnd(execute)
          return acknowledged()
        }
        if (isDue({ ms: now() - written, reads: reads++ })) await execute()
        return next()
      }
    },
  }
}

const afterReads = (count: number) =>
  queue(
    `acknowledges writes and shows the old state in ${count} reads`,
    // Only a command that writes many items sends enough reads to see the new state.
    count > 2 ? { reads: 'maybe' } : {},
    ({ reads }) => reads >= count,
  )

const afterMs = (wait: number) =>
  queue(
    `acknowledges writes and executes them after ${wait} ms`,
    wait > 2000 ? { reads: 'never' } : {},
    ({ ms }) => ms >= wait,
  )

const blackHole: FakeService = {
  name: 'acknowledges writes and never executes them',
  answers: 'acknowledges',
  make: () => async (request, next) => (isWrite(request) ? acknowledged() : next()),
}

/** Returns paths that show the effect of a write. */
function placesOf(request: WireRequest): string[] {
  const path = pathOf(request)
  if (request.method !== 'POST') return [path, path.replace(/\/[^/]+$/, '')]
  return path === '/users' ? [path, `${path}/${jsonOf(request)['user_id']}`] : [path]
}

/**
 * Creates a service that responds to reads with the remembered old state of the path while `isOld` returns
 * true. Searches by name show the current state.
 */
function oldReads(
  name: string,
  proof: Proof,
  makeIsOld: (setting: Setting) => (path: string, written: number) => boolean,
  remembers: (request: WireRequest) => boolean = isWrite,
): FakeService {
  return {
    name,
    answers: 'acknowledges',
    ...proof,
    make(setting): Exchange {
      const isOld = makeIsOld(setting)
      const old = new Map<string, { response: WireResponse; at: number }>()
      const remember = async (request: WireRequest, next: Next, path: string) => {
        const url = new URL(request.url)
        url.pathname = `/v1${path}`
        url.search = '?limit=1000'
        const { body: _, ...rest } = request
        const response = await next({ ...rest, method: 'GET', url: url.href })
        old.set(path, { response, at: setting.now() })
      }
      return async (request, next) => {
        if (remembers(request))
          for (const path of placesOf(request).filter((path) => !old.has(path)))
            await remember(request, next, path)
        if (isWrite(request)) {
          const done = await next()
          return done.status === 200 ? acknowledged() : done
        }
        const path = pathOf(request)
        const known = new URL(request.url).searchParams.has('name') ? undefined : old.get(path)
        return known && isOld(path, known.at) ? known.response : next()
      }
    },
  }
}

const turns = (isFirstOld: boolean) => () => {
  const reads = new Map<string, number>()
  return (path: string) => {
    const nth = (reads.get(path) ?? 0) + 1
    reads.set(path, nth)
    return (nth % 2 === 1) === isFirstOld
  }
}
const firstReads = (count: number) => () => {
  const reads = new Map<string, number>()
  return (path: string) => {
    reads.set(path, (reads.get(path) ?? 0) + 1)
    return (reads.get(path) ?? 0) <= count
  }
}
const isCreation = (request: WireRequest) => request.method === 'POST'

const replicas: readonly FakeService[] = [
  oldReads('acknowledges writes and reads every other time from an old node', {}, turns(true)),
  oldReads(
    'acknowledges writes and reads first from a new node, then from an old one',
    // A command that reads members before and after a block sees the block disappear.
    { reads: { change: 'maybe' } },
    turns(false),
  ),
  oldReads('acknowledges writes and reads each path once from a replica', {}, firstReads(1)),
  oldReads('acknowledges writes and reads each path twice from a replica', {}, firstReads(2)),
  oldReads(
    'acknowledges writes and reads each path five times from a replica',
    { reads: 'never' },
    firstReads(5),
  ),
  oldReads(
    'acknowledges writes and reads from a replica that is 300 ms behind',
    {},
    ({ now }) =>
      (_, at) =>
        now() - at < 300,
  ),
  oldReads(
    'acknowledges writes and reads from a replica that is 10 s behind',
    { reads: 'never' },
    ({ now }) =>
      (_, at) =>
        now() - at < 10_000,
  ),
  // Models a list index that is rebuilt nightly; single items come from the database.
  oldReads(
    'acknowledges writes and never shows them in lists',
    { reads: { member: 'never', other: 'maybe' } },
    () => (path) => /\/(rooms|users|members)$/.test(path),
  ),
  oldReads(
    'acknowledges creations and shows them as missing for 10 s',
    { reads: { user: 'never', member: 'never' } },
    ({ now }) =>
      (_, at) =>
        now() - at < 10_000,
    isCreation,
  ),
]

/** Cache that keeps responses for one minute. */
const cache: FakeService = {
  name: 'acknowledges writes and reads from a cache',
  answers: 'acknowledges',
  reads: 'maybe',
  make({ now }): Exchange {
    const kept = new Map<string, { response: WireResponse; at: number }>()
    return async (request, next) => {
      if (isWrite(request)) {
        const done = await next()
        return done.status === 200 ? acknowledged() : done
      }
      const known = kept.get(request.url)
      if (known && now() - known.at < 60_000) return known.response
      const response = await next()
      kept.set(request.url, { response, at: now() })
      return response
    }
  },
}

/** Services that can show an old state after a write. */
export const lag: readonly FakeService[] = [
  ...[1, 2, 10].map(afterReads),
  ...[300, 900, 5000].map(afterMs),
  blackHole,
  ...replicas,
  cache,
]
