import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { serve } from '../../../src/embedded/serve.ts'
import { createProcessHost } from '../../../src/host.ts'
import { main } from '../../../src/main.ts'
import { testHost } from '../../helpers/host.ts'
import type { Target } from './requests.ts'

/** Valid request. A write has a unique body. */
export interface GoodRequest {
  method: string
  path: string
  /** Additional header lines. */
  headers: string[]
  body: string | undefined
}

export interface AttackTarget {
  origin: string
  good(): GoodRequest
  /** Returns the number of valid requests executed since the last call, given all responses since then. */
  newlyDone(answered: string): Promise<number>
  /** Texts that no response to a refused request contains. */
  secrets: readonly string[]
}

/** Starts the service and `webhooks listen` before the tests of a file, and stops them afterwards. */
export function startTargets(): Record<Target, () => AttackTarget> {
  const started: Partial<Record<Target, AttackTarget>> = {}
  const closers: (() => unknown)[] = []
  const get = (target: Target) => () => {
    const tried = started[target]
    if (!tried) throw new Error(`${target} is not there yet`)
    return tried
  }
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'meetroom-websec-'))
    closers.push(() => rmSync(dir, { recursive: true, force: true }))
    const { service, close } = await startService(dir)
    closers.push(close)
    Object.assign(started, service)
    const { listener, stop } = await startListener(dir)
    closers.push(stop)
    started.listen = listener
  })
  afterAll(async () => {
    for (const close of closers.toReversed()) await close()
  })
  return { serve: get('serve'), reading: get('reading'), listen: get('listen') }
}

function since(count: () => Promise<number>): () => Promise<number> {
  let before = 0
  return async () => {
    const now = await count()
    const grown = now - before
    before = now
    return grown
  }
}

/** Starts the service in this process, in memory, on a free port, with one user whose name is secret. */
export async function startService(dir: string) {
  const serving = await serve({
    dir: undefined,
    keyFile: join(dir, 'api-key'),
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    webhookRetryScale: 1,
    allowPrivateWebhooks: false,
    userAgent: 'meetroom/test',
    machine: createProcessHost(),
    log: () => {},
  })
  const key = `Authorization: Bearer ${serving.apiKey}`
  const users = async (): Promise<number> => {
    const answer = await fetch(`${serving.baseUrl}/users?limit=1`, {
      headers: { authorization: key.slice(15) },
    })
    return ((await answer.json()) as { paging: { total: number } }).paging.total - 1
  }
  let made = 0
  const secret = 'only for those who may read'
  await fetch(`${serving.baseUrl}/users`, {
    method: 'POST',
    headers: { authorization: key.slice(15), 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'secret', name: secret }),
  })
  const { origin } = new URL(serving.baseUrl)
  const common = { origin, secrets: [secret, serving.apiKey] }
  const service: Partial<Record<Target, AttackTarget>> = {
    serve: {
      ...common,
      good: () => ({
        method: 'POST',
        path: '/v1/users',
        headers: [key],
        body: JSON.stringify({ user_id: `u-${++made}` }),
      }),
      newlyDone: since(users),
    },
    reading: {
      ...common,
      good: () => ({ method: 'GET', path: '/v1/users/secret', headers: [key], body: undefined }),
      newlyDone: async (answered) => answered.split(secret).length - 1,
    },
  }
  return { ...serving, origin, service }
}

async function startListener(dir: string) {
  const host = testHost({ cwd: dir, env: { MEETROOM_CONFIG_DIR: join(dir, 'config') } })
  const ready = new Promise<string>((resolve) => {
    const write = host.stdout.write.bind(host.stdout)
    host.stdout.write = async (data) => {
      await write(data)
      resolve(host.stdout.text)
    }
  })
  const code = main(['webhooks', 'listen', '--port', '0', '--json', '-q'], host)
  const { origin } = new URL(JSON.parse(await ready).url)
  let sent = 0
  const event = () => ({
    action: 'sessionJoined',
    payload: {
      roomId: 'room-1',
      memberId: 'member-1',
      sessionId: `session-${++sent}`,
      sessionsCount: 1,
      membersCount: 1,
      timestamp: '2024-05-06T07:08:09.123Z',
    },
  })
  const listener: AttackTarget = {
    origin,
    good: () => ({ method: 'POST', path: '/', headers: [], body: JSON.stringify(event()) }),
    newlyDone: since(async () => host.stdout.text.split('"action"').length - 1),
    secrets: ['room-1'],
  }
  const stop = () => {
    host.signal('SIGTERM')
    return code
  }
  return { listener, stop }
}

/** Maximum idle time of a connection, in milliseconds. */
const patienceMs = 3000

/**
 * Sends bytes, and returns the received text when the service closes the connection. After `patienceMs`
 * without data, adds the status 999.
 */
export function converse(origin: string, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
    // The service may close the connection during the write. The bytes received until then are its response.
    socket.on('error', () => {})
    socket.setTimeout(patienceMs, () => {
      text += 'HTTP/1.1 999 the connection is still open'
      socket.destroy()
    })
    socket.on('close', () => resolve(text))
    socket.write(bytes)
  })
}
