import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { launcher, node, pipeTo, runBuilt } from '../helpers/built.ts'
import { openSocket, rawRequest } from '../helpers/raw.ts'
import {
  homes,
  type Ready,
  type Running,
  serviceOf,
  startBuilt,
  startProgram,
  startServe,
} from '../helpers/serving.ts'
import {
  measured,
  promptlyMs,
  type Signalled,
  signalled,
  stopCodes,
  withStops,
} from '../helpers/signalled.ts'
import { counted, notice, share, sized } from './size.ts'

const count = counted('process (commands that stay)')

function expectPrompt({ lingeredMs }: Pick<Signalled, 'lingeredMs'>): void {
  count.add('signals')
  expect(lingeredMs).toBeLessThan(promptlyMs)
}

async function roomAt(ready: Ready, env: Record<string, string>) {
  const { createRoom, api } = serviceOf(ready)
  return { id: await createRoom(), env: { ...env, ...api } }
}

const readiness = async ({ stdout }: Running): Promise<Ready> => JSON.parse(await stdout.next())
const leftovers = ({ TMPDIR }: { TMPDIR: string }) =>
  readdirSync(TMPDIR).filter((name) => name.startsWith('meetroom-'))

describe('serve', () => {
  test.each(withStops([sized(2, 60)]))(
    'serve ends after %s at each of %i moments during its start',
    { timeout: 180_000 },
    async (stop, moments) => {
      const env = homes()
      const address = join(env.MEETROOM_DATA_DIR, 'serve.json')
      for (let i = 0; i < moments; i++) {
        const ended = await signalled(['serve', '--port', '0', '--json'], { env }, stop, () =>
          pause((i / moments) * 700),
        )
        expect(ended.stderr).not.toMatch(/error|^\s+at /m)
        // Before the program handles signals, a signal ends the process.
        if (ended.signal !== null) expect(ended.signal).toBe(stop)
        else
          expect({ code: ended.code, isPublished: existsSync(address) }).toEqual({
            code: 0,
            isPublished: false,
          })
        expectPrompt(ended)
      }
      const { ready } = await startServe([], env)
      expect((await roomAt(ready, env)).id).toMatch(/^[0-9a-f]{24}$/)
    },
  )

  test.each(withStops(['in a directory', '--ephemeral']))(
    'serve closes its sessions and exits 0 after %s (%s)',
    measured,
    async (stop, place) => {
      const env = homes()
      const argv = ['serve', '--port', '0', '--json', ...(place === '--ephemeral' ? [place] : [])]
      let told: Promise<string> = Promise.resolve('')
      const ended = await signalled(argv, { env }, stop, async (running) => {
        const ready = await readiness(running)
        const { id } = await roomAt(ready, env)
        const socket = new WebSocket(`${ready.base_url.replace('http', 'ws')}/rooms/${id}/connect`)
        told = new Promise((resolve) => socket.once('close', (code, reason) => resolve(`${code} ${reason}`)))
        await new Promise((resolve) => socket.once('message', resolve))
      })
      expect(ended).toMatchObject({ code: 0, signal: null })
      expect(ended.stderr).toMatch(/^stopping$/m)
      expect(await told).toMatch(/^1\d\d\d .+/)
      expectPrompt(ended)
      expect(existsSync(join(env.MEETROOM_DATA_DIR, 'serve.json'))).toBe(false)
      expect(leftovers(env)).toEqual([])
    },
  )

  test.each(withStops(['a second signal']))(
    'serve with a pending request ends immediately after %s and %s',
    measured,
    async (stop) => {
      const env = homes()
      const again = await signalled(
        ['serve', '--port', '0', '--json'],
        { env },
        stop,
        async (running) => {
          const { base_url, api_key_file } = await readiness(running)
          const socket = await openSocket(base_url)
          const authorization = `Bearer ${readFileSync(api_key_file, 'utf8').trim()}`
          // The rest of this request never arrives. The 100 response shows that the service has read the
          // headers.
          socket.write(
            rawRequest(
              'POST /v1/rooms',
              {
                host: new URL(base_url).host,
                authorization,
                expect: '100-continue',
                'content-length': '100',
              },
              '',
            ),
          )
          await new Promise((resolve) => socket.once('data', resolve))
        },
        async ({ logged, child }) => {
          await logged(/^stopping$/)
          child.kill(stop)
        },
      )
      expect(again).toMatchObject({ code: null, signal: stop })
      expectPrompt(again)
      expect((await startServe([], env)).ready.event).toBe('ready')
    },
  )
})

const event = {
  action: 'sessionJoined',
  payload: {
    roomId: 'r1',
    userId: 'ada',
    memberId: 'm1',
    sessionId: 's1',
    sessionsCount: 1,
    membersCount: 1,
    timestamp: '2026-01-02T03:04:05.678Z',
  },
}

describe('webhooks listen', () => {
  test.each(withStops(['sh']))(
    'webhooks listen exits 0 after %s while the --exec program %s runs',
    measured,
    async (stop, shell) => {
      const env = homes()
      const script = join(env.HOME, 'slow.sh')
      writeFileSync(script, 'echo started; exec sleep 60')
      const argv = ['webhooks', 'listen', '--port', '0', '--exec', `${shell} ${script}`]
      const ended = await signalled(argv, { env }, stop, async ({ logged, stdout }) => {
        const [url = ''] = /http:\S+/.exec(await logged(/listening on/)) ?? []
        fetch(url.replace(';', ''), { method: 'POST', body: JSON.stringify(event) }).catch(() => {})
        await stdout.find('from the program', (line) => line === 'started')
      })
      expect(ended).toMatchObject({ code: 0, signal: null })
      expectPrompt(ended)
    },
  )
})

const services = ['responds', 'has stopped responding']

describe('join', () => {
  test.each(withStops(share(services, 1, 2)))(
    'join exits 0 after %s if the service %s',
    measured,
    async (stop, how) => {
      const { ready, child } = await startServe([], homes())
      const { id, env } = await roomAt(ready, homes())
      const ended = await signalled(['join', id], { env }, stop, async ({ logged }) => {
        await logged(/joined room/)
        if (how !== 'responds') child.kill('SIGSTOP')
      })
      expect(ended).toMatchObject({ code: 0, signal: null })
      expect(ended.stderr.split('\n').at(-1)).toBe('left')
      expectPrompt(ended)
    },
  )
})

describe('sessions watch', () => {
  test.each(withStops(share(services, 0, 2)))(
    'sessions watch exits 0 after %s if the service %s',
    measured,
    async (stop, how) => {
      const { ready, child } = await startServe([], homes())
      const { id, env } = await roomAt(ready, homes())
      const ended = await signalled(['sessions', 'watch', id], { env }, stop, async ({ stdout }) => {
        await stdout.find('that says ready', (line) => line.includes('"ready"'))
        if (how !== 'responds') {
          child.kill('SIGSTOP')
          await pause(2200)
        }
      })
      expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' })
      expectPrompt(ended)
    },
  )

  test('sessions watch exits 0 at the next event after the reader closes the pipe', async () => {
    const { ready, call } = await startServe([], homes())
    const { id, env } = await roomAt(ready, homes())
    const line = pipeTo(`"${node}" "${launcher}" sessions watch ${id} --interval 0.1`, 'head -1')
    const { stdout, log, ended } = startProgram('sh', ['-c', line], env)
    expect(await stdout.next()).toContain('"event":"room"')
    expect((await call('PUT', `/rooms/${id}`, { name: 'Retro' })).status).toBe(200)
    expect(await stdout.next()).toBe('0')
    await ended()
    expect(log()).toBe('')
  })

  test('sessions watch --local reconnects if the local workspace is served at another base URL', async () => {
    const env = homes()
    const first = await startServe([], env)
    const { id } = await roomAt(first.ready, env)
    const { stdout, child, ended } = startBuilt(
      ['--local', 'sessions', 'watch', id, '--interval', '0.1'],
      env,
    )
    const told = (event: string) => stdout.find(`that says ${event}`, (line) => line.includes(`"${event}"`))
    await told('ready')
    first.child.kill('SIGTERM')
    await first.ended()
    await told('lost')
    // sessions watch does not open the workspace itself, because no other process could then serve the
    // workspace.
    const second = await startServe([], env)
    expect(second.ready.base_url).not.toBe(first.ready.base_url)
    await told('back')
    child.kill('SIGINT')
    expect(await ended()).toMatchObject({ code: 0 })
  })
})

const pty =
  spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: ['pipe', 'ignore', 'ignore'] }).status === 0
if (!pty) notice('process', 'prompts on a terminal: script(1) of util-linux is not installed')

describe.runIf(pty)('a prompt on a terminal', () => {
  /** Runs a command on a new terminal, and then prints its exit code and the settings of the terminal. */
  function onTerminal(line: string, env: Record<string, string>): Running {
    const inner = `sh -c 'echo "pid=$$"; exec "${node}" "${launcher}" ${line}'; echo "code=$?"; stty -a`
    return startProgram('script', ['-qfc', inner, '/dev/null'], { ...env, TERM: 'xterm', SHELL: '/bin/sh' })
  }

  const asks = [
    ['--local rooms delete {room}', 'Delete room'],
    ['profiles remove staging', 'Delete profile'],
    ['auth login --profile other --base-url https://meet.test/v1', 'API key'],
  ] as const
  const ways = ['SIGINT', 'SIGTERM', 'SIGHUP', '^C'] as const
  const cases = asks.flatMap((ask) => ways.map((way) => [way, ...ask] as const))

  test.each(share(cases, 1, 3))(
    '%s ends the prompt of “%s” on a terminal',
    measured,
    async (way, line, question) => {
      const env = homes()
      const config = { profiles: { staging: { base_url: 'https://meet.test/v1' } } }
      spawnSync('mkdir', ['-p', env.MEETROOM_CONFIG_DIR])
      writeFileSync(join(env.MEETROOM_CONFIG_DIR, 'config.json'), JSON.stringify(config))
      const create = '--local rooms create --name Room --type open -o ids'.split(' ')
      const room = line.includes('{room}') ? (await runBuilt(create, env)).stdout.trim() : ''
      const running = onTerminal(line.replace('{room}', room), env)
      const pid = Number(
        (await running.stdout.find('with the pid', (text) => text.startsWith('pid='))).trim().slice(4),
      )
      // The inbox contains only whole lines, and a prompt does not end with a line break.
      let shown = ''
      running.child.stdout?.on('data', (text) => {
        shown += text
      })
      const deadline = Date.now() + 15_000
      while (!shown.includes(question) && Date.now() < deadline) await pause(10)
      expect(shown).toContain(question)
      const since = performance.now()
      if (way === '^C') running.child.stdin?.write('\x03')
      else process.kill(pid, way)
      const code = await running.stdout.find('with the code', (text) => text.startsWith('code='))
      const lingeredMs = performance.now() - since
      running.child.stdin?.end()
      await running.ended()
      expect(code.trim()).toBe(`code=${way === '^C' ? 130 : stopCodes[way]}`)
      expectPrompt({ lingeredMs })
      expect(stripVTControlCharacters(shown)).toContain('error: interrupted')
      expect(
        shown
          .split('code=')[1]
          ?.match(/(?<!\S)-?(icanon|echo)(?!\S)/g)
          ?.sort(),
      ).toEqual(['echo', 'icanon'])
      // The cursor is shown again if it was hidden.
      if (shown.includes('\x1b[?25l'))
        expect(shown.lastIndexOf('\x1b[?25h')).toBeGreaterThan(shown.lastIndexOf('\x1b[?25l'))
      expect(readFileSync(join(env.MEETROOM_CONFIG_DIR, 'config.json'), 'utf8')).toBe(JSON.stringify(config))
    },
  )
})
