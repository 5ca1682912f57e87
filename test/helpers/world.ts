import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { WireRequest, WireResponse } from '../../src/api/wire.ts'
import { openWorkspace } from '../../src/embedded/workspace.ts'
import { main } from '../../src/main.ts'
import { type HostOptions, type TestHost, testHost, testNow } from './host.ts'
import { rowsOf, withRows } from './new-database.ts'
import { soon } from './waiting.ts'

export interface Run {
  code: number
  stdout: string
  stderr: string
  host: TestHost
}

export const baseUrl = 'https://meet.test/v1'

/** Function that responds instead of the service, or passes a request on to the service. */
export type Intercept = (
  request: WireRequest,
  next: (changed?: WireRequest) => Promise<WireResponse>,
  signal: AbortSignal,
) => Promise<WireResponse>

/** Stored items and clock of a service, with which other worlds can start. */
export interface Contents {
  rows: string
  time: number
}

/** One key for all worlds, because compiling the redaction patterns of a new key takes milliseconds. */
const apiKey = `local_${randomBytes(24).toString('base64url')}`

/**
 * Creates a world: the real program, with the embedded service in memory instead of the network. By default,
 * the environment contains key and base URL.
 */
export async function createWorld({ rows, time }: Contents = { rows: '', time: testNow }) {
  const workspace = await openWorkspace({
    dir: undefined,
    apiKey,
    // The clock advances one second each time it is read, so that lists have an order.
    host: { now: () => (time += 1000), quietly: withRows(rows) },
  })
  const dir = tempDir()
  const world = {
    apiKey: workspace.apiKey,
    store: workspace.store,
    dir,
    configDir: join(dir, 'config'),
    /** Requests of all runs, in order, including intercepted requests. */
    requests: [] as WireRequest[],
    intercept: undefined as Intercept | undefined,
    /** Sends a request directly to the service, for setup and checks. */
    async send(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
      const answer = await workspace.service({
        method,
        url: baseUrl + path,
        headers: {
          authorization: `Bearer ${workspace.apiKey}`,
          'content-type': 'application/json',
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      return {
        status: answer.status,
        body: JSON.parse(new TextDecoder().decode(answer.body)),
      }
    },
    contents: (): Contents => ({ rows: rowsOf(workspace.store), time }),
    transport(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
      world.requests.push(request)
      const next = (changed = request) => workspace.service(changed)
      return world.intercept ? world.intercept(request, next, signal) : next()
    },
    start(argv: readonly string[], options: HostOptions = {}): { host: TestHost; done: Promise<Run> } {
      const env = {
        MEETROOM_API_KEY: workspace.apiKey,
        MEETROOM_BASE_URL: baseUrl,
        MEETROOM_CONFIG_DIR: world.configDir,
        MEETROOM_DATA_DIR: join(dir, 'data'),
        XDG_CACHE_HOME: join(dir, 'cache'),
        ...options.env,
      }
      const host = testHost({ cwd: dir, ...options, env })
      const run = main(argv, host, async () => world.transport).then((code) => ({
        code,
        stdout: host.stdout.text,
        stderr: host.stderr.text,
        host,
      }))
      const done = soon(`the end of meetroom ${argv.join(' ')}`, run, () => ({
        stdout: host.stdout.text,
        stderr: host.stderr.text,
        requests: world.requests.map(({ method, url }) => `${method} ${url}`),
      }))
      return { host, done }
    },
    run(argv: readonly string[] | string, options: HostOptions = {}): Promise<Run> {
      return world.start(typeof argv === 'string' ? argv.split(' ') : argv, options).done
    },
  }
  onTestFinished(() => workspace.close())
  return world
}

export type World = Awaited<ReturnType<typeof createWorld>>

/**
 * Returns a function that creates worlds with the same stored items.
 * @param fill creates the items in the first world, and returns facts about them, such as IDs
 */
export function worldsWith<T, W extends World = World>(
  fill: (world: W) => Promise<T>,
  create = createWorld as (contents?: Contents) => Promise<W>,
): () => Promise<{ world: W; made: T }> {
  let first: { contents: Contents; made: T } | undefined
  return async () => {
    const world = await create(first?.contents)
    if (!first) {
      const made = await fill(world)
      first = { contents: world.contents(), made }
      world.requests.length = 0
    }
    return { world, made: first.made }
  }
}

/** Creates a directory that is removed after the test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
  // A process that ends late may still write to the directory.
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

/**
 * Creates an interception that acts as another service: no rooms for a probe, and one response to all other
 * requests.
 */
export const answering =
  (response: WireResponse): Intercept =>
  async ({ url }) =>
    url.endsWith('/rooms?limit=1') ? answer(200, { rooms: [] }) : response

/** Creates a response. The body is converted to JSON unless it is text. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): WireResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: new TextEncoder().encode(text),
  }
}
