import { once } from 'node:events'
import { createServer } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { runHere } from '../../helpers/run-here.ts'
import { homes, type Ready, runServe } from '../../helpers/run-serve.ts'
import { serveHere } from '../../helpers/serve-here.ts'
import { startBuilt, startServe } from '../../helpers/serving.ts'
import { soon } from '../../helpers/waiting.ts'

/** Simulates a program of another user on the port of a stopped server. */
async function takePort({ ready }: { ready: Ready }, visitors = 1) {
  let received = ''
  let closed = () => {}
  const visited = new Promise<void>((resolve) => {
    closed = () => void (--visitors === 0 && resolve())
  })
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      received += data
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
    })
    socket.on('error', () => {})
    socket.on('close', () => closed())
  })
  server.listen(Number(new URL(ready.base_url).port), '127.0.0.1')
  await once(server, 'listening')
  return {
    /** Waits until `visitors` connections are closed; returns the received data. */
    async visit(): Promise<string> {
      await soon('a connection', visited)
      return received
    },
    async close(): Promise<string> {
      server.close()
      await once(server, 'close')
      return received
    },
  }
}

let env: ReturnType<typeof homes>
beforeEach(() => {
  env = homes()
})

const run = (line: string, stdin?: string) =>
  runHere(line.split(' '), { env, ...(stdin !== undefined && { stdin }) })

describe('a --local command after the server stops', () => {
  test.each<[NodeJS.Signals, readonly [string, RegExp][]]>([
    [
      'SIGTERM',
      [
        ['rooms wait ROOM --for terminated --timeout 1m --verbose', /200/],
        ['join ROOM --as ada', /joined/],
      ],
    ],
    [
      'SIGKILL',
      [
        ['sessions watch ROOM', /ready/],
        ['join ROOM --as ada', /joined/],
      ],
    ],
  ])(
    'a --local command sends nothing to another program on the port after %s stops the server',
    async (signal, lines) => {
      const server = await startServe([], env)
      const room = await server.createRoom()
      await server.call('POST', '/users', { user_id: 'ada' })
      const begin = async ([line, begun]: readonly [string, RegExp]) => {
        const argv = line.replace('ROOM', room).split(' ')
        const command = startBuilt(['--local', ...argv], env)
        const lines = /sessions/.test(line) ? command.stdout : command.stderr
        await lines.find(`like ${begun}`, (text) => begun.test(text))
        return command
      }
      const commands = await Promise.all(lines.map(begin))
      await server.stop(signal)
      const taken = await takePort(server, commands.length)
      expect(await taken.visit()).toBe('')
      for (const command of commands) {
        command.child.kill('SIGTERM')
        await command.ended()
      }
      expect(await taken.close()).toBe('')
    },
  )
})

describe('a profile of serve --save-profile', () => {
  test.each([
    ['a workspace', () => runServe(['--save-profile', 'dev'], env)],
    ['a workspace whose server was killed', () => startServe(['--save-profile', 'dev'], env)],
    ['an ephemeral service', () => runServe(['--ephemeral', '--save-profile', 'dev'], env)],
  ] as const)(
    'rooms list with the saved profile of %s sends no key to another program on the port',
    async (_name, start) => {
      const server = await start()
      if ('child' in server) await server.stop('SIGKILL')
      else {
        expect(await run('rooms list --profile dev')).toMatchObject({ code: 0 })
        await server.stop()
      }
      const taken = await takePort(server)
      const host = new URL(server.ready.base_url).host
      expect(await run('rooms list --profile dev --retries 0')).toMatchObject({
        code: 5,
        stdout: '',
        stderr: `error: no response from ${host}: no process serves the local workspace at this base URL\nhint: find the cause with: meetroom doctor --profile dev\n`,
      })
      // The first line of a join request contains the token.
      expect((await run('join R --token secret --profile dev --retries 0')).code).toBe(5)
      expect(await taken.close()).toBe('')
    },
  )

  test('rooms list with a saved profile exits 5 if another workspace has the same base URL', async () => {
    const server = await runServe(['--save-profile', 'dev'], env)
    const { port } = new URL(server.ready.base_url)
    await server.stop()
    const again = await runServe(['--port', port], env)
    expect(await run('rooms list --profile dev')).toMatchObject({ code: 0 })
    await again.stop()
    await runServe(['--port', port])
    expect(await run('rooms list --profile dev --retries 0')).toMatchObject({ code: 5 })
  })

  test('auth login --replace changes a profile of serve --save-profile to another service', async () => {
    const server = await runServe(['--save-profile', 'dev'], env)
    await server.stop()
    const { baseUrl, apiKey } = await serveHere()
    const login = `auth login --with-token --profile dev --base-url ${baseUrl} --replace`
    expect(await run(login, apiKey)).toMatchObject({ code: 0 })
    expect(await run('rooms list --profile dev')).toMatchObject({ code: 0 })
  })
})
