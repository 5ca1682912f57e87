import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launcher, node, runBuilt } from './helpers/built.ts'
import { runCommand } from './helpers/command.ts'
import { serveHere } from './helpers/serve-here.ts'
import { homes, startServe } from './helpers/serving.ts'
import { hasTool } from './helpers/tools.ts'
import { leaves } from './helpers/tree.ts'
import { share } from './suites/size.ts'

/** Script that records connections, name lookups, UDP sockets and child processes of a Node process. */
const recorder = `
const fs = require('node:fs'), net = require('node:net'), dns = require('node:dns')
const note = (what) => fs.appendFileSync(process.env.RECORD, what + '\\n')
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args
  const { host, port, path } = typeof options === 'object' ? options : { port: args[0], host: args[1] }
  note('connect ' + (path ?? (host ?? 'localhost') + ':' + port))
  return connect.apply(this, args)
}
for (const [module, name] of [[dns, 'lookup'], [dns.promises, 'lookup'], [dns, 'resolve'], [dns.promises, 'resolve']]) {
  const ask = module[name]
  module[name] = (host, ...rest) => (net.isIP(host) ? undefined : note('lookup ' + host), ask(host, ...rest))
}
const dgram = require('node:dgram'), { createSocket } = dgram
dgram.createSocket = (...args) => (note('udp'), createSocket(...args))
const processes = require('node:child_process')
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork']) {
  const start = processes[name]
  processes[name] = (command, ...rest) => (note('process ' + command), start(command, ...rest))
}
`

function record() {
  const env = homes()
  const hook = join(env.HOME, 'recorder.cjs')
  const file = join(env.HOME, 'record.txt')
  writeFileSync(hook, recorder)
  return {
    env: { ...env, NODE_OPTIONS: `--require ${hook}`, RECORD: file },
    recorded: () =>
      existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trim().split('\n'))].sort() : [],
    forget: () => writeFileSync(file, ''),
  }
}

/** Commands that need a service and end by themselves. `ROOM` is the ID of a room. */
const online = [
  ...['auth status', 'doctor', 'rooms list', 'rooms get ROOM', 'rooms create --name A --type open'],
  ...[
    'members add ROOM ada',
    'members list ROOM',
    'users get ada',
    'users list --search a',
    'users duplicates',
  ],
  ...[
    'sessions list ROOM',
    'sessions report --all-rooms',
    'usage',
    'message send ROOM hi',
    'pages list ROOM',
  ],
  ...[
    'pages create ROOM --image https://i.example.com/a.png',
    'api GET /rooms',
    'rooms export',
    'users rooms ada',
  ],
  ...[
    'users hand-over ada grace --yes',
    'rooms terminate ROOM --yes',
    '__complete fish -- meetroom\tusers\tget\t',
    'workspace export',
  ],
]

/** Commands that need no service, by exit code. */
const offline = {
  0: [
    ...['--version', '--help', 'version', 'help security', 'rooms --help', 'commands', 'schema', 'openapi'],
    ...['config list', 'config path', 'profiles list', 'completion bash', '--local rooms list'],
    ...['--local doctor', 'cache --help', 'serve --print-env'],
  ],
  2: [
    ...['rooms list', 'rooms nonsense', 'webhooks verify missing.json', 'local restore missing.db'],
    ...['audit list', 'auth login --base-url nonsense', 'join'],
  ],
  74: ['local backup missing/copy.db'],
}
const offlineCalls = Object.entries(offline).flatMap(([code, lines]) =>
  lines.map((line) => ({ line, code: Number(code) })),
)

test('the commands in the connection tests include every command group', async () => {
  const groups = new Set((await leaves()).map(({ words }) => words[0]))
  const tried = new Set([...online, ...Object.values(offline).flat()].flatMap((line) => line.split(' ')))
  expect([...groups].filter((group = '') => !tried.has(group))).toEqual([])
})

describe('outgoing connections', { timeout: 120_000 }, () => {
  test('an online command connects only to the service', async () => {
    const server = record()
    const { ready, api, call, createRoom, stop } = await startServe([], server.env)
    const { env, recorded, forget } = record()
    const run = (line: string) => runBuilt(line.split(' '), { ...env, ...api })
    for (const user_id of ['ada', 'grace']) await call('POST', '/users', { user_id })
    const room = await createRoom({ type: 'private' })
    const service = `connect ${new URL(ready.base_url).host}`
    const others: string[] = []
    for (const line of share(online, 1, 4)) {
      forget()
      const { code, stderr } = await run(line.replace('ROOM', room))
      expect(code, `${line}: ${stderr}`).toBe(0)
      if (!recorded().includes(service)) others.push(`${line}: no connection was recorded`)
      others.push(
        ...recorded().flatMap((what) => (what === service || what === '' ? [] : `${line}: ${what}`)),
      )
    }
    expect(others).toEqual([])
    await stop()
    expect(server.recorded()).toEqual([])
  })

  test('an offline command opens no connection', async () => {
    const { env, recorded } = record()
    for (const { line, code } of share(offlineCalls, 0, 4))
      expect(await runBuilt(line.split(' '), env), line).toMatchObject({ code })
    expect(recorded()).toEqual([])
  })

  test.skipIf(!hasTool('strace', 'connections', 'system calls of a run'))(
    'rooms list connects only to the service according to strace',
    async () => {
      const { origin, baseUrl, apiKey } = await serveHere()
      const env = { ...homes(), MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey }
      const trace = join(env.HOME, 'trace.txt')
      const flags = [
        '-f',
        '-qq',
        '-e',
        'trace=connect,sendto,sendmsg,sendmmsg',
        '-e',
        'signal=none',
        '-o',
        trace,
      ]
      const argv = [...flags, node, launcher, 'rooms', 'list', '--json']
      const { code } = await runCommand('strace', argv, env)
      expect(code).toBe(0)
      const calls = readFileSync(trace, 'utf8')
        .split('\n')
        .filter((line) => line.includes('sa_family=AF_INET'))
      const { port } = new URL(origin)
      expect(calls.length).toBeGreaterThan(0)
      expect(calls.filter((line) => !line.includes(`htons(${port})`))).toEqual([])
    },
  )
})
