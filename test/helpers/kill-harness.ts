import { createServer } from 'node:http'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { listen } from './listen.ts'
import { startServe } from './serving.ts'
import { soon } from './waiting.ts'

export interface Kills {
  /** Path of the program; the built program by default. */
  script?: string
  dir: string
  kills: number
  /** Returns true to stop early, with fewer kills. */
  isOver?(): boolean
}

/** Creates a reproducible sequence of fractions between 0 and 1, for the times of kills. */
export function sequence(seed = 1): () => number {
  return () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  }
}

/** Running service and functions that use it. */
export type Life = Awaited<ReturnType<typeof begin>>

/**
 * Starts a service again after each kill.
 * @param check examines the service after the last kill
 * @throws {Error} if `live` does not kill the service
 */
export async function killAgain<Result>(
  { script, dir, kills, isOver = () => false }: Kills,
  live: (life: Life) => Promise<unknown>,
  check: (life: Life) => Promise<Result>,
): Promise<Result> {
  for (let i = 0; i < kills && !isOver(); i++) {
    const life = await begin(dir, script)
    const result = await live(life)
    if (!life.isKilled()) throw new Error('nothing could be done', { cause: result })
    await life.ended()
  }
  const life = await begin(dir, script)
  const result = await check(life)
  life.child.kill('SIGTERM')
  await life.ended()
  return result
}

async function begin(dir: string, script?: string) {
  const env = { HOME: dir, MEETROOM_CONFIG_DIR: join(dir, 'config'), MEETROOM_DATA_DIR: join(dir, 'data') }
  const { child, ended, ready, call } = await startServe(['-q', '--webhook-retry-scale', '0.01'], env, {
    script,
  })
  let isKilled = false
  return {
    child,
    ended,
    isKilled: () => isKilled,
    kill() {
      isKilled = true
      child.kill('SIGKILL')
    },
    /** @throws {Error} if the status of the response is not 200 */
    async api(method: string, path: string, body?: object): Promise<any> {
      const answer = await call(method, path, body)
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    /** Joins a room; resolves after the greeting. */
    join(room: string): Promise<WebSocket> {
      const socket = new WebSocket(`${ready.base_url.replace('http', 'ws')}/rooms/${room}/connect`)
      return new Promise((done, failed) => {
        socket.once('message', () => done(socket))
        socket.on('error', failed)
        socket.once('close', () => failed(new Error('closed')))
      })
    },
  }
}

/** Returns the events that a session causes, in the form that `startEventReceiver` records. */
export const eventsOf = ({ id }: { id: string }) => [`sessionJoined ${id}`, `sessionLeft ${id}`]

export interface EventRequest {
  event: string
  body: string
  redelivery: number
  status: number
}

/** Starts a webhook receiver that responds 500 while `fails` returns true. */
export async function startEventReceiver(fails: () => boolean = () => false) {
  const requests = new Map<string, EventRequest[]>()
  /** Values of `webhook-id` by event. */
  const events = new Map<string, Set<string>>()
  let changed = () => {}
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { action, payload } = JSON.parse(body)
    const id = String(request.headers['webhook-id'])
    const redelivery = Number(request.headers['webhook-redelivery'] ?? 0)
    const status = fails() ? 500 : 200
    const event = `${action} ${payload.sessionId}`
    requests.set(id, [...(requests.get(id) ?? []), { event, body, redelivery, status }])
    events.set(event, (events.get(event) ?? new Set()).add(id))
    response.writeHead(status).end()
    changed()
  })
  const url = `http://127.0.0.1:${await listen(server)}/`
  return {
    url,
    requests,
    /** Waits until all wanted events have arrived and `others` returns an empty list. */
    async receives(wanted: readonly string[], others: () => readonly unknown[] = () => []): Promise<void> {
      const missing = () => [...wanted.filter((event) => !events.has(event)), ...others()]
      const delivered = new Promise<void>((done) => {
        changed = () => {
          if (missing().length === 0) done()
        }
        changed()
      })
      await soon('every event to be delivered', delivered, missing, 120_000)
    },
    /** Returns the events that arrived under more than one `webhook-id`. */
    renamed: () => [...events].filter(([, ids]) => ids.size > 1).map(([event]) => event),
  }
}
