import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createFlagConflict } from '../api/flag-conflict.ts'
import { parseGivenJson, parseJson } from '../api/json.ts'
import { readDuration } from '../duration.ts'
import { formatLogLine } from '../embedded/common/log.ts'
import { ServiceControl } from '../embedded/control/service-control.ts'
import { getDatabasePath } from '../embedded/database-path.ts'
import { serve } from '../embedded/serve.ts'
import { UsageError } from '../errors.ts'
import { replaceFile } from '../files/draft.ts'
import { readInput } from '../files/input-file.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { describeSystemError } from '../files/system-error.ts'
import { createProcessHost } from '../host.ts'
import { version } from '../version.ts'
import type * as Public from './types.ts'
import type { Duration, WebhookEvent } from './types.ts'

const optionKeys = ['seed', 'dataDir', 'port', 'apiKey', 'onUnknown', 'onUnmatchedFault', 'log']

/** File that marks a workspace that `startService` created and `reset` may delete. */
const markerFile = 'test-workspace'

export const startService: typeof Public.startService = async (options = {}) => {
  checkOptions(options)
  const { dataDir, port = 0, apiKey, log = () => {} } = options
  const dir = dataDir === undefined ? undefined : resolve(dataDir)
  const isNew = dir === undefined || prepareDirectory(dir)
  const seed = await readSeed(options.seed)
  const machine = createProcessHost()
  const inbox = new WebhookInbox()
  const control = new ServiceControl(machine, () => inbox.clear('the service was reset'))
  const running = await serve({
    dir,
    ...(dir !== undefined && { keyFile: join(dir, 'api-key') }),
    ...{ apiKey, port, host: '127.0.0.1', hosts: [], control, machine },
    log: (entry) => log(formatLogLine(entry)),
    webhookRetryScale: 1,
    allowPrivateWebhooks: true,
    userAgent: `meetroom/${version}`,
    onAttempt: ({ id, url, body, attempt, outcome }) => {
      const { action, payload } = JSON.parse(body)
      const status = /^\d+$/.test(outcome) ? Number(outcome) : (outcome as 'unreachable' | 'forbidden')
      inbox.put({ type: action, id, url, payload, body, attempt, status })
    },
  }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.syscall !== 'listen') throw cause
    throw new UsageError(`startService cannot use port ${port}: ${describeSystemError(cause)}`, { cause })
  })
  let closed: Promise<Public.CloseReport> | undefined
  try {
    await control.start(seed, isNew)
  } catch (error) {
    await running.close()
    throw error
  }
  const requireOpen = () => {
    if (closed) throw new Error('the service is closed')
  }

  function checkUnknown(operations: readonly string[]): void {
    if (options.onUnknown === 'throw' && operations.length > 0)
      throw new Error(`requests for unknown operations: ${operations.join(', ')}`)
  }

  async function close(): Promise<Public.CloseReport> {
    const unmatchedFaults = control.faults.listUnmatched()
    const unknownOperations = [...control.unknownOperations]
    inbox.clear('the service is closed')
    await running.close()
    checkUnknown(unknownOperations)
    if (options.onUnmatchedFault === 'throw' && unmatchedFaults.length > 0)
      throw new Error(`faults that no request matched: ${unmatchedFaults.join(', ')}`)
    return { unmatchedFaults, unknownOperations }
  }

  const service: Public.TestService = {
    baseUrl: running.baseUrl,
    apiKey: running.apiKey,
    get seeded() {
      return control.seeded as unknown as Public.Seeded
    },
    clock: {
      now: () => control.clock.now(),
      async advance(duration) {
        requireOpen()
        await control.advance(duration)
      },
      freeze: () => control.clock.freeze(),
      resume: () => control.clock.resume(),
    },
    faults: {
      add(fault) {
        requireOpen()
        return control.faults.add(fault)
      },
      clear: () => control.faults.clear(),
    },
    webhooks: {
      async next(matches = () => true, { timeout } = {}) {
        requireOpen()
        return inbox.next(matches, timeout)
      },
      idle: () => control.settle(),
    },
    async seed(given) {
      requireOpen()
      const value = await readSeed(given)
      await control.seed(value)
    },
    async reset() {
      requireOpen()
      const unknownOperations = [...control.unknownOperations]
      await control.reset()
      checkUnknown(unknownOperations)
    },
    close: () => (closed ??= close()),
    async [Symbol.asyncDispose]() {
      await service.close()
    },
  }
  return service
}

function checkOptions(options: Public.StartOptions): void {
  for (const key of Object.keys(options))
    if (!optionKeys.includes(key))
      throw new UsageError(`startService has no option “${key}”; options are ${optionKeys.join(', ')}`)
  const { onUnknown, onUnmatchedFault, port = 0, apiKey, dataDir } = options
  for (const [name, value] of Object.entries({ onUnknown, onUnmatchedFault }))
    if (value !== undefined && value !== 'throw')
      throw new UsageError(`${name} must be throw, not “${value}”`)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UsageError(`port must be a whole number from 0 to 65535, not “${port}”`)
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey))
    throw new UsageError('apiKey must be ASCII text without spaces')
  if (apiKey !== undefined && dataDir !== undefined)
    throw createFlagConflict('apiKey', 'dataDir', { because: 'the directory stores its own key' })
}

/** Marks a directory for `reset`. Returns true if the directory contains no workspace. */
function prepareDirectory(dir: string): boolean {
  const isNew = !existsSync(getDatabasePath(dir))
  const marker = join(dir, markerFile)
  if (!isNew && !existsSync(marker))
    throw new UsageError(
      `the local workspace in ${dir} was not created by startService, and reset() would delete it: choose another dataDir`,
    )
  makeDirectory(dir)
  replaceFile(marker, 'reset() of meetroom/testing deletes this workspace.\n')
  return isNew
}

async function readSeed(seed: Public.Seed | string | undefined): Promise<unknown> {
  if (typeof seed !== 'string') return seed
  const name = `the seed ${seed}`
  const bytes = await readInput(seed, { cwd: '', onSignal: () => () => {} }, { name })
  return parseGivenJson(bytes.toString(), name, parseJson)
}

/** Maximum number of events kept for later calls of `next`. */
const maxKept = 10_000
/** Maximum number of events in the error of a timeout. */
const maxListed = 10
const defaultTimeout = '2s'

interface Waiter {
  matches: (event: WebhookEvent) => boolean
  resolve(event: WebhookEvent): void
  reject(error: unknown): void
}

class WebhookInbox {
  #kept: WebhookEvent[] = []
  #listed: WebhookEvent[] = []
  #total = 0
  readonly #waiters = new Set<Waiter>()

  put(event: WebhookEvent): void {
    this.#total++
    if (this.#listed.push(event) > maxListed) this.#listed.shift()
    for (const waiter of this.#waiters)
      try {
        if (!waiter.matches(event)) continue
        waiter.resolve(event)
        return
      } catch (error) {
        waiter.reject(error)
      }
    if (this.#kept.push(event) > maxKept) this.#kept.shift()
  }

  next(matches: (event: WebhookEvent) => boolean, timeout: Duration = defaultTimeout): Promise<WebhookEvent> {
    const ms = typeof timeout === 'number' ? timeout : readDuration(timeout)
    if (ms === undefined || !(ms >= 0))
      throw new TypeError(
        `timeout must be a duration such as 2s, or a number of milliseconds, not “${timeout}”`,
      )
    const kept = this.#kept.findIndex(matches)
    const [event] = kept < 0 ? [] : this.#kept.splice(kept, 1)
    if (event) return Promise.resolve(event)
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        resolve: (event) => settle(() => resolve(event)),
        reject: (error) => settle(() => reject(error)),
      }
      const timer = setTimeout(() => waiter.reject(new Error(this.#describe(ms))), Math.min(ms, 2 ** 31 - 1))
      const settle = (work: () => void) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        work()
      }
      this.#waiters.add(waiter)
    })
  }

  clear(reason: string): void {
    this.#kept = []
    this.#listed = []
    this.#total = 0
    for (const waiter of this.#waiters) waiter.reject(new Error(reason))
  }

  #describe(ms: number): string {
    const wait = `no webhook matched within ${ms / 1000} s`
    if (this.#total === 0) return `${wait}; none was sent`
    const more = this.#total - this.#listed.length
    const lines = this.#listed.map(
      ({ type, payload, attempt, status }) =>
        `  ${type} room ${payload.roomId} user ${payload.userId ?? 'anonymous'}, attempt ${attempt}: ${status}`,
    )
    return [`${wait}; these were sent:`, ...(more > 0 ? [`  ${more} earlier`] : []), ...lines].join('\n')
  }
}
