import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { main } from '../../src/main.ts'
import { keyShapes, spellings, tracesOf } from '../helpers/canary.ts'
import { type HostOptions, testHost } from '../helpers/host.ts'
import { listen } from '../helpers/listen.ts'
import { answer, baseUrl, createWorld, tempDir } from '../helpers/world.ts'
import { counted, full } from './size.ts'

const { add } = counted('canary')

const sendable = Object.entries(keyShapes).filter(([name]) => !name.includes('no header'))
/** Shapes of keys that a header can contain. A full run repeats each shape, because every key is random. */
const shapes = Array.from({ length: full ? 20 : 1 }, () => sendable).flat()

const echo = (key: string) => spellings.map((spell) => spell(key.trim())).join(' ')

function expectNone(key: string, shown: string): void {
  expect(tracesOf(key)(shown), shown).toEqual([])
  add('live runs')
}

test.each(['rooms delete r1', 'rooms delete r1 r2'])(
  'the prompt of “%s” redacts the key in room names',
  async (line) => {
    const world = await createWorld()
    for (const [, make] of shapes) {
      const key = make()
      world.intercept = async ({ url }) =>
        answer(200, { room: { id: url.split('/').at(-1), type: 'open', name: echo(key) } })
      const { host, done } = world.start(line.split(' '), {
        ...{ tty: true, columns: 5000 },
        env: { MEETROOM_API_KEY: key, NO_COLOR: '1' },
      })
      setImmediate(() => host.type('n\n'))
      const { code, stderr } = await done
      expect(code).toBe(10)
      expect(stderr).toContain('[API key]')
      expectNone(key, stderr)
    }
  },
)

/** Starts a long-running command, and stops it after the test. */
function staying(argv: readonly string[], env: Record<string, string>, options: HostOptions = {}) {
  const host = testHost({
    ...options,
    cwd: tempDir(),
    env: { MEETROOM_CONFIG_DIR: join(tempDir(), 'config'), NO_COLOR: '1', ...env },
  })
  const done = main(argv, host)
  const shown = () => host.stdout.text + host.stderr.text
  const says = async (text: string) => {
    while (!shown().includes(text)) await new Promise((turn) => setTimeout(turn, 1))
  }
  const stop = async () => {
    host.signal('SIGINT')
    return { code: await done, shown: shown() }
  }
  onTestFinished(async () => void (await stop()))
  return { says, stop, shown, done }
}

test('join redacts the key in messages, error responses and close reasons', async () => {
  const words: { refuse?: string; say?: string; close?: string } = {}
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (words.refuse !== undefined) {
      const body = JSON.stringify({ error: { code: words.refuse, message: words.refuse } })
      const lines = ['HTTP/1.1 403 Forbidden', `x-key: ${encodeURI(words.refuse)}`]
      return void socket.end(
        `${[...lines, `content-length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`,
      )
    }
    sockets.handleUpgrade(request, socket, head, (peer) => {
      peer.send(JSON.stringify({ event: 'message', message: words.say }))
      peer.send(JSON.stringify({ event: 'message', message: 'over' }))
      peer.close(4001, Buffer.from(words.close ?? '').subarray(0, 120))
    })
  })
  const port = await listen(server)
  for (const [i, [, make]] of shapes.entries()) {
    const key = make()
    const env = { MEETROOM_BASE_URL: `http://127.0.0.1:${port}/v1`, MEETROOM_API_KEY: key }
    for (const refuse of [undefined, echo(key)])
      for (const flags of [[], ['-o', 'ndjson']]) {
        Object.assign(words, { refuse, say: echo(key), close: key.trim() })
        const run = staying(['join', 'r1', '--verbose', ...flags], env, {
          tty: i % 2 === 0 || flags.length > 0,
        })
        await run.done
        expect(run.shown()).toContain('[API key]')
        expectNone(key, run.shown())
      }
  }
})

test('webhooks listen redacts the key in incoming requests', async () => {
  for (const [, make] of shapes) {
    const key = make()
    const run = staying(['webhooks', 'listen', '--port', '0'], { MEETROOM_API_KEY: key }, { tty: true })
    await run.says('listening on')
    const [url = ''] = /http:[^;]+/.exec(run.shown()) ?? []
    const post = (body: string) => fetch(url, { method: 'POST', body }).then(({ status }) => status)
    const said = echo(key)
    const payload = {
      roomId: said,
      userId: said,
      memberId: said,
      sessionId: said,
      sessionsCount: 1,
      membersCount: 1,
    }
    const event = { action: 'sessionJoined', payload: { ...payload, timestamp: '2024-05-06T07:08:09.123Z' } }
    expect(await post(JSON.stringify(event))).toBe(200)
    expect(await post(JSON.stringify({ action: said, [said]: said }))).toBe(400)
    expect(await post(said)).toBe(400)
    const { code, shown } = await run.stop()
    expect(code).toBe(0)
    expect(shown).toContain('[API key]')
    expectNone(key, shown)
  }
})

test('serve logs no key if clients send the key in a URL or in another header', async () => {
  for (const [, make] of shapes.slice(0, full ? 9 : 3)) {
    const key = make().trim()
    const keyFile = join(tempDir(), 'key')
    writeFileSync(keyFile, key, { mode: 0o600 })
    const run = staying(['serve', '--ephemeral', '--port', '0', '--api-key-file', keyFile], {})
    await Promise.race([run.says('serving'), run.done])
    const [base] = /http:\/\/\S+/.exec(run.shown()) ?? []
    for (const spell of spellings) {
      const said = encodeURIComponent(spell(key))
      await fetch(`${base}/rooms/${said}?api_key=${said}`, { headers: { authorization: `Bearer ${key}` } })
      await fetch(`${base}/${said}`, { headers: { 'x-api-key': key } })
    }
    const { shown } = await run.stop()
    expect(shown).toContain('[API key]')
    expectNone(key, shown)
  }
})

test('--dry-run and --curl print no key to a terminal or to a pipe', async () => {
  const world = await createWorld()
  for (const [, make] of shapes) {
    const key = make()
    const env = { MEETROOM_API_KEY: key, MEETROOM_BASE_URL: baseUrl, NO_COLOR: '1' }
    for (const flag of ['--curl', '--dry-run']) {
      const typed = await world.run(['rooms', 'create', '--name', echo(key), '--type', 'open', flag], {
        tty: true,
        env,
      })
      expect(typed.stdout + typed.stderr).toContain('[API key]')
      expectNone(key, typed.stdout + typed.stderr)
      const { stdout, stderr } = await world.run(['rooms', 'create', '--name', 'n', '--type', 'open', flag], {
        env,
      })
      expectNone(key, stdout + stderr)
    }
  }
})
