import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { quoteForShell } from '../../../../../src/api/quote-for-shell.ts'
import { launcher, node } from '../../../../helpers/built.ts'
import { Emulator } from '../../../../helpers/emulator.ts'
import { hasTerminal, onTerminal } from '../../../../helpers/pty.ts'
import { serveHere } from '../../../../helpers/serve-here.ts'
import { homes, startProgram } from '../../../../helpers/serving.ts'
import { withStops } from '../../../../helpers/signalled.ts'
import { Watched } from '../../../../helpers/waiting.ts'
import { tempDir } from '../../../../helpers/world.ts'

async function startService() {
  const dir = tempDir()
  const place = { dir, keyFile: join(dir, 'api-key') }
  let serving = await serveHere(place)
  const { baseUrl, apiKey } = serving
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) })
    return (await answer.json()) as { room: { id: string }; user: { access_token: string } }
  }
  const { user } = await send('POST', '/users', { user_id: 'ada', name: 'Ada Lovelace' })
  const { room } = await send('POST', '/rooms', { name: 'Standup', type: 'open' })
  return {
    env: { MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey },
    room: room.id,
    join: () =>
      new Promise<WebSocket>((resolve, reject) => {
        const place = `${baseUrl.replace('http', 'ws')}/rooms/${room.id}/connect`
        const socket = new WebSocket(`${place}?access_token=${user.access_token}`)
        socket.once('message', () => resolve(socket))
        socket.once('error', reject)
      }),
    stop: () => serving.close(),
    async start() {
      serving = await serveHere({ ...place, port: Number(new URL(baseUrl).port) })
    },
  }
}

function runOnTerminal(argv: readonly string[], env: Record<string, string>) {
  const home = homes()
  const tty = join(home.HOME, 'tty')
  const program = ['exec', node, launcher, ...argv].map(quoteForShell).join(' ')
  const line = `stty cols 80 rows 24; tty > ${quoteForShell(tty)}; sh -c ${quoteForShell(`echo $$ > ${quoteForShell(`${tty}.pid`)}; ${program}`)}; echo "code=$?"; stty -a`
  const [command, ...words] = onTerminal(line)
  const running = startProgram(command, words, { ...home, TERM: 'xterm', SHELL: '/bin/sh', ...env })
  const terminal = new Emulator(80, 24)
  const watched = new Watched(() => terminal.screen)
  running.child.stdout?.on('data', (text: string) => {
    terminal.write(text)
    watched.changed()
  })
  const { child } = running
  return {
    terminal,
    pid: () => Number(readFileSync(`${tty}.pid`, 'utf8')),
    shows: (text: string) => watched.until(text, () => terminal.screen.includes(text)),
    press: (keys: string) => void child.stdin?.write(keys),
    resize(columns: number, rows: number) {
      terminal.resize(columns, rows)
      const place = readFileSync(tty, 'utf8').trim()
      spawnSync('stty', ['-F', place, 'cols', `${columns}`, 'rows', `${rows}`])
    },
    async ended() {
      child.stdin?.end()
      await running.ended()
      const said = running.stdout.all.join('\n')
      const [, code] = /code=(\d+)/.exec(said) ?? []
      const settings = said.split('code=')[1]?.match(/(?<!\S)-?(icanon|echo|isig)(?!\S)/g)
      return { code: Number(code), settings: settings?.sort() }
    },
  }
}

const asBefore = ['echo', 'icanon', 'isig']

describe.skipIf(!hasTerminal)('sessions watch on a real terminal', { timeout: 60_000 }, () => {
  test('sessions watch on a real terminal updates the view after joins, a service restart and a resize', async () => {
    const { env, room, join, stop, start } = await startService()
    const screen = runOnTerminal(['sessions', 'watch', room, '--interval', '0.1'], env)
    await screen.shows('nobody is in the room\n\npress q to quit')
    const socket = await join()
    await screen.shows('1 online')
    await screen.shows('Ada Lovelace joined')
    await stop()
    await screen.shows('\nconnection lost at')
    expect(screen.terminal.screen).toContain('retrying: no response from 127.0.0.1')
    await start()
    await screen.shows('connected again after')
    await screen.shows('0 online')
    await screen.shows('Ada Lovelace left after')
    screen.resize(30, 9)
    await screen.shows('Standup · active · 0 online\nnobody is in the room')
    for (const line of screen.terminal.screen.split('\n')) expect(line.length).toBeLessThanOrEqual(30)
    screen.press('x\r\u001b[A')
    screen.press('q')
    expect(await screen.ended()).toEqual({ code: 0, settings: asBefore })
    socket.terminate()
  })

  test.each(['\u0003', '\u0004'])(
    'sessions watch on a real terminal exits at the key %j and restores the terminal',
    async (key) => {
      const { env, room } = await startService()
      const screen = runOnTerminal(['sessions', 'watch', room], env)
      await screen.shows('press q to quit')
      screen.press(key)
      expect(await screen.ended()).toEqual({ code: 0, settings: asBefore })
      expect(screen.terminal.screen).toMatch(/^Standup · active · 0 online\nnobody is in the room\ncode=0/)
    },
  )

  test.each(withStops(['restores']))(
    'sessions watch on a real terminal exits at the signal %s and %s the terminal',
    async (signal) => {
      const { env, room } = await startService()
      const screen = runOnTerminal(['sessions', 'watch', room], env)
      await screen.shows('press q to quit')
      process.kill(screen.pid(), signal)
      expect(await screen.ended()).toEqual({ code: 0, settings: asBefore })
    },
  )
})
