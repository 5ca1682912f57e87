import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { createProcessHost } from '../../src/host.ts'
import { main } from '../../src/main.ts'
import { testHost } from './host.ts'
import { Inbox } from './inbox.ts'
import { soon } from './waiting.ts'
import { tempDir } from './world.ts'

/** Creates a home directory; returns variables that select it for settings, workspace and temporary files. */
export function homes() {
  const dir = tempDir()
  return {
    HOME: dir,
    MEETROOM_CONFIG_DIR: join(dir, 'config'),
    MEETROOM_DATA_DIR: join(dir, 'data'),
    TMPDIR: dir,
  }
}

export interface Ready {
  event: 'ready'
  base_url: string
  api_key_file: string
  pid: number
}

/** Runs `meetroom serve --json` in this process until the end of the test. */
export async function runServe(argv: readonly string[], env = homes()) {
  const { now, monotonic, sleep } = createProcessHost()
  const host = Object.assign(testHost({ env }), { now, monotonic, sleep })
  const stdout = new Inbox<string>('a line on standard output')
  const stderr = new Inbox<string>('a line on standard error')
  for (const [output, inbox] of [[host.stdout, stdout] as const, [host.stderr, stderr] as const]) {
    const put = linesInto(inbox)
    output.write = async (text) => put(String(text))
  }
  const code = main(['serve', '--port', '0', '--json', ...argv], host)
  const stop = () => {
    host.signal('SIGTERM')
    return soon('the end of serve', code, () => stderr.all)
  }
  onTestFinished(async () => void (await stop()))
  const ready = await Promise.race([stdout.next(), code.then(() => stderr.all.join('\n'))])
  return { ...serviceOf(JSON.parse(ready)), stop, ...logOf(stderr) }
}

export const logOf = (stderr: Inbox<string>) => ({
  /** Returns the complete lines of standard error so far. */
  log: () => stderr.all.join('\n'),
  /** Waits for the next matching line on standard error. */
  logged: (pattern: RegExp) => stderr.find(`like ${pattern}`, (line) => pattern.test(line)),
})

/** Joins a room; resolves after the greeting. */
export async function joinRoom(ready: Ready, room: string, query = ''): Promise<WebSocket> {
  const webSocket = new WebSocket(`${ready.base_url.replace('http', 'ws')}/rooms/${room}/connect${query}`)
  // Ignores errors, because a dropped connection also emits `close`.
  webSocket.on('error', () => {})
  await soon('the greeting', once(webSocket, 'message'))
  return webSocket
}

/** Creates a client from the ready event of a service. */
export function serviceOf(ready: Ready) {
  const apiKey = readFileSync(ready.api_key_file, 'utf8').trim()
  async function call(method: string, path: string, body?: object) {
    const response = await fetch(ready.base_url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  return {
    ready,
    apiKey,
    call,
    /** Environment variables that select the service. */
    api: { MEETROOM_BASE_URL: ready.base_url, MEETROOM_API_KEY: apiKey },
    createRoom: async (more: object = {}): Promise<string> =>
      (await call('POST', '/rooms', { name: 'Weekly sync', type: 'open', ...more })).body.room.id,
  }
}

/** Returns a function that puts each complete line of a text into an inbox. */
export function linesInto(inbox: Inbox<string>) {
  let rest = ''
  return (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) inbox.put(line)
  }
}
