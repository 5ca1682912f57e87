import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { hostileJson, hostileText } from '../helpers/hostile.ts'
import { open } from '../helpers/listen.ts'
import { hasTerminal, runOnTerminal, startOnTerminal } from '../helpers/pty.ts'
import { homes } from '../helpers/serving.ts'
import { designed, harmIn, stack } from '../helpers/terminal.ts'
import { counted, share, sized } from './size.ts'

const { add } = counted('hostile')

async function hostileService(text: string, value: unknown) {
  const thing = {
    id: 'r1',
    user_id: text,
    name: text,
    type: text,
    created_at: text,
    [`${text}_at`]: text,
    more: value,
  }
  const things = [thing, { ...thing, id: text, terminated_at: text }]
  const body = {
    room: thing,
    rooms: things,
    user: thing,
    member: thing,
    message: text,
    sessions: things,
    members: things,
  }
  const state = { status: 200 }
  const server = createServer((request, response) => {
    request.resume()
    const refuses = state.status >= 300 && !(request.url ?? '').endsWith('?limit=1')
    const safe = encodeURI(text.toWellFormed()).slice(0, 200)
    response.writeHead(refuses ? state.status : 200, { 'content-type': 'application/json', location: safe })
    response.end(JSON.stringify(refuses ? { error: { code: text, message: text, [text]: value } } : body))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (peer) => {
    peer.send(JSON.stringify({ event: 'message', message: text }))
    peer.send(JSON.stringify({ event: 'message', message: value }))
    peer.close(4002)
  })
  const { port, close } = await open(server)
  onTestFinished(close)
  return { state, close, baseUrl: `http://127.0.0.1:${port}/v1` }
}

/** `draws` is true for views that move the cursor. */
const views: Record<string, { line: string; typed?: string; status?: number; draws?: true }> = {
  'a record': { line: 'rooms get r1' },
  'a table': { line: 'rooms list' },
  CSV: { line: 'rooms list -o csv' },
  JSON: { line: 'rooms get r1 --json' },
  ids: { line: 'rooms list -o ids' },
  'an error': { line: 'rooms get r1 --verbose', status: 400 },
  'an error in JSON': { line: 'rooms get r1 --json', status: 500 },
  'a prompt': { line: 'rooms delete r1', typed: 'n\n', draws: true },
  progress: { line: 'users import users.ndjson --no-journal --rate 1', status: 404, draws: true },
  join: { line: 'join r1' },
  'a view': { line: 'sessions watch r1 --interval 0.1', typed: 'q', draws: true },
}

const sample = fc.sample(fc.tuple(hostileText, hostileJson), { numRuns: sized(1, 20), seed: sized(1, 2) })

describe.skipIf(!hasTerminal).each(share(Object.entries(views), 0, 2))(
  'output on a real terminal (%s)',
  (_, { line, typed, status, draws }) => {
    test(`meetroom ${line} on a terminal escapes control characters in hostile text`, async () => {
      const home = homes()
      for (const [text, value] of sample) {
        const { state, close, baseUrl } = await hostileService(text, value)
        state.status = status ?? 200
        writeFileSync(
          join(home.HOME, 'users.ndjson'),
          ['ada', 'grace'].map((user_id) => `${JSON.stringify({ user_id, name: text })}\n`).join(''),
        )
        // Avoids wrapping, because the prompt library cuts its own colors in two when it wraps a line with
        // characters beyond the BMP.
        const env = {
          ...home,
          TERM: 'xterm-256color',
          COLUMNS: '9000',
          MEETROOM_API_KEY: 'a-key-of-mine',
          MEETROOM_BASE_URL: baseUrl,
          MEETROOM_RETRIES: '0',
        }
        const { code, shown } = await runOnTerminal(line.split(' '), env, typed, home.HOME)
        close()
        expect(designed, shown).toContain(code)
        expect(shown.length).toBeGreaterThan(0)
        if (line.includes('import')) expect(shown).toContain('█')
        expect(shown).not.toMatch(stack)
        expect(harmIn(shown, draws)).toBeUndefined()
        add('runs on a real terminal')
      }
    })
  },
)

test.skipIf(!hasTerminal)(
  'webhooks listen on a terminal escapes control characters in hostile text',
  async () => {
    const running = startOnTerminal(['webhooks', 'listen', '--port', '0'], {
      ...homes(),
      NO_COLOR: '1',
      TERM: 'xterm',
    })
    const first = await running.stdout.next()
    const [url = ''] = /http:[^;]+/.exec(first) ?? []
    const texts = fc.sample(hostileText, sized(5, 300))
    const counts = { sessionsCount: 1, membersCount: 1, timestamp: '2024-05-06T07:08:09.123Z' }
    for (const text of texts) {
      const payload = { roomId: text, userId: text, memberId: text, sessionId: text, ...counts }
      await fetch(url, { method: 'POST', body: JSON.stringify({ action: 'sessionJoined', payload }) })
      await fetch(url, { method: 'POST', body: JSON.stringify({ action: text, payload }) })
      add('runs on a real terminal')
    }
    while (running.stdout.all.length < 2 * texts.length + 1) await running.stdout.next()
    expect(
      harmIn(running.stdout.all.join('\n').replaceAll('\r\n', '\n').replaceAll('\r', '')),
    ).toBeUndefined()
  },
)
