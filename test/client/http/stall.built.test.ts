import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { launcher, node } from '../../helpers/built.ts'
import { runCommand } from '../../helpers/command.ts'
import { signalled, stopCodes } from '../../helpers/signalled.ts'
import { silentNames } from '../../helpers/silent-names.ts'
import { fullPort, runTimed, silentPort } from '../../helpers/stall.ts'
import { tempDir } from '../../helpers/world.ts'
import { notice } from '../../suites/size.ts'

/** Maximum time that a process lingers, in milliseconds. */
const promptlyMs = 1500

const env = (baseUrl: string) => ({
  HOME: tempDir(),
  MEETROOM_BASE_URL: baseUrl,
  MEETROOM_API_KEY: 'secret-key-0123456789',
  MEETROOM_CONFIG_DIR: tempDir(),
})

describe('a service that stalls', () => {
  const list = ['rooms', 'list', '--timeout', '0.3']

  test('rooms list exits 5 at the timeout if the service stalls in the TLS handshake', async () => {
    const port = await silentPort()
    const { code, stderr, lingeredMs } = await runTimed(list, env(`https://127.0.0.1:${port}/v1`))
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining(
        `error: no response from 127.0.0.1:${port} within 0.3 s: no connection yet\n`,
      ),
    })
    expect(lingeredMs).toBeLessThan(promptlyMs)
  })

  test.runIf(process.platform === 'linux')(
    'rooms list exits 5 at the timeout if the service stalls in the TCP handshake',
    async () => {
      const port = await fullPort()
      const { code, stderr, lingeredMs } = await runTimed(list, env(`http://127.0.0.1:${port}/v1`))
      expect({ code, stderr }).toEqual({
        code: 5,
        stderr: expect.stringContaining(
          `error: no response from 127.0.0.1:${port} within 0.3 s: no connection yet\n`,
        ),
      })
      expect(lingeredMs).toBeLessThan(promptlyMs)
    },
  )

  test('rooms create exits 5 at the timeout if the service stalls in the TLS handshake', async () => {
    const port = await silentPort()
    const { code, stderr } = await runTimed(
      ['rooms', 'create', '--name', 'a', '--type', 'open', '--timeout', '0.3'],
      env(`https://127.0.0.1:${port}/v1`),
    )
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining(
        `error: no response from 127.0.0.1:${port} within 0.3 s: no connection yet\n`,
      ),
    })
  })
})

// At its exit, Node waits for the lookup thread, usually for ten seconds.
describe('a silent name server', () => {
  const canBeReplaced = spawnSync(node, ['-p', 'typeof process.execve']).stdout.toString() === 'function\n'
  if (!canBeReplaced)
    notice('stall', 'the deadline of a name lookup: this Node cannot leave a thread behind (22.15 can)')
  const named = () => env('https://meet.test/v1')

  async function silent(skip: () => never) {
    const names = await silentNames()
    if (names) return names
    notice('stall', 'name servers: mounting a file and listening on port 53 takes more rights')
    return skip()
  }

  test
    .runIf(canBeReplaced)
    .for(['rooms list', 'rooms create --name a --type open', 'rooms terminate r --yes'])(
    '“%s” exits 5 at the timeout if the name server is silent',
    async (line, { skip }) => {
      const { within } = await silent(skip)
      const { code, stderr, lingeredMs } = await runTimed(
        [...line.split(' '), '--timeout', '0.3'],
        named(),
        within,
      )
      expect({ code, stderr }).toEqual({
        code: 5,
        stderr:
          'error: no response from meet.test within 0.3 s: no connection yet\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
      })
      expect(lingeredMs).toBeLessThan(promptlyMs)
    },
  )

  test.for([
    ['SIGINT', 'rooms list'],
    ['SIGTERM', 'rooms create --name a --type open'],
    ['SIGHUP', 'join r'],
  ] as const)(
    'after %s, “%s” exits immediately even if the name server is silent',
    async ([stop, line], { skip }) => {
      const { within, asked } = await silent(skip)
      const ended = await signalled(line.split(' '), { env: named(), within }, stop, () => asked)
      expect(ended.code).toBe(stopCodes[stop])
      expect(ended.stderr).toBe('error: interrupted')
      expect(ended.lingeredMs).toBeLessThan(promptlyMs)
    },
  )

  test('completion for bash returns within 5 s if the name server is silent', async ({ skip }) => {
    const { within } = await silent(skip)
    const line = ['__complete', 'bash', '--', 'meetroom users get ']
    const [command, ...rest] = within([node, launcher, ...line])
    const begun = performance.now()
    expect(await runCommand(command, rest, named())).toMatchObject({ stdout: 'words\n', stderr: '' })
    // The lookup itself ends only after ten seconds.
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  test.runIf(canBeReplaced)(
    'rooms list keeps a shared stdout in blocking mode if the name server is silent',
    async ({ skip }) => {
      const { within } = await silent(skip)
      const [command, ...rest] = within([
        'sh',
        '-c',
        '( "$@" 2>&1; grep flags /proc/self/fdinfo/1 ) | cat',
        'sh',
        ...[node, launcher, 'rooms', 'list', '--timeout', '0.3'],
      ])
      const { stdout } = await runCommand(command, rest, named())
      expect(stdout).toMatch(/^error: no response from meet.test .*\nhint: .*\nflags:\s+01\n$/)
    },
  )
})

describe('a stalling proxy', () => {
  const behind = (port: number) => ({
    ...env('https://meet.test/v1'),
    HTTPS_PROXY: `http://ada:proxy-password@127.0.0.1:${port}`,
  })

  test('rooms terminate exits 5 at the timeout if the proxy sends no response', async () => {
    const port = await silentPort()
    const { code, stderr, lingeredMs } = await runTimed(
      ['rooms', 'terminate', 'r', '--yes', '--timeout', '0.3'],
      behind(port),
    )
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining(
        `error: no response from meet.test within 0.3 s: no connection yet (through the proxy 127.0.0.1:${port})\n`,
      ),
    })
    expect(lingeredMs).toBeLessThan(promptlyMs)
  })

  test.each([0, 2])(
    'rooms list --retries %i opens one proxy connection per attempt if the proxy closes each connection',
    async (retries) => {
      let connections = 0
      const port = await silentPort((socket) => {
        connections++
        socket.once('data', () => socket.end())
      })
      const { code, stderr } = await runTimed(['rooms', 'list', '--retries', `${retries}`], behind(port))
      expect({ code, connections }).toEqual({ code: 5, connections: retries + 1 })
      expect(stderr).toContain(
        `error: no response from meet.test: the proxy 127.0.0.1:${port} closed the connection\n`,
      )
    },
  )
})
