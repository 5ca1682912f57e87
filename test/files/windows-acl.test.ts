import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { aboutKey } from '../helpers/login.ts'
import { baseUrl, createWorld, type World } from '../helpers/world.ts'

const sid = 'S-1-5-21-1004336348-1177238915-682003330-512'

let world: World
let system: string
beforeEach(async () => {
  world = await createWorld()
  system = join(world.dir, 'Windows/System32')
  mkdirSync(system, { recursive: true })
  createProgram('whoami', `printf '"desk\\\\ada","${sid}"\\r\\n'`)
  createProgram('icacls')
})

function createProgram(name: string, text = ''): void {
  const note = `printf '%s\\n' "$*" >> '${world.dir}/${name}'`
  writeFileSync(join(system, `${name}.exe`), `#!/bin/sh\n${note}\n${text}\n`, { mode: 0o700 })
}
const noted = (name: string) =>
  existsSync(join(world.dir, name))
    ? readFileSync(join(world.dir, name), 'utf8').split('\n').slice(0, -1)
    : []

const onWindows = (line: string, stdin?: string, SystemRoot = join(world.dir, 'Windows')) =>
  world.run(line, {
    platform: 'win32',
    env: { SystemRoot, MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined },
    ...(stdin && { stdin }),
  })
const logIn = (systemRoot?: string) =>
  onWindows(`auth login --with-token --base-url ${baseUrl}`, world.apiKey, systemRoot)
const loggedIn = () => `logged in to https://meet.test as profile default\n${aboutKey(world.apiKey)}`

test('auth login on Windows restricts a new settings directory and file to the current account', async () => {
  expect(await logIn()).toMatchObject({ code: 0, stderr: loggedIn() })
  expect(noted('whoami')).toEqual(Array(2).fill('/user /fo csv /nh'))
  const file = join(world.configDir, 'config.json')
  expect(noted('icacls')).toEqual([
    `${world.configDir} /inheritance:r /grant:r *${sid}:(OI)(CI)F /q`,
    `${file} /inheritance:r /grant:r *${sid}:F /q`,
  ])
})

test('auth login on Windows keeps the access rights of an existing directory', async () => {
  mkdirSync(world.configDir)
  await logIn()
  expect(noted('icacls')).toHaveLength(1)
  await onWindows('config set timeout 5')
  expect(noted('icacls')).toHaveLength(2)
})

test.each([
  ['icacls fails', 'icacls', 'exit 5', 'icacls.exe failed: exit code 5'],
  ['whoami fails', 'whoami', 'exit 1', 'whoami.exe failed: exit code 1'],
  [
    'whoami prints no account ID',
    'whoami',
    'echo nobody',
    'whoami.exe does not print the ID of your account',
  ],
])('auth login on Windows succeeds with one warning if %s', async (_, name, text, why) => {
  if (name === 'whoami') writeFileSync(join(system, 'whoami.exe'), `#!/bin/sh\n${text}\n`)
  else createProgram(name, text)
  const warning = `warning: other accounts of this machine may be able to read ${join(world.configDir, 'config.json')}: ${why}\n`
  expect(await logIn()).toMatchObject({ code: 0, stderr: `${warning}${loggedIn()}` })
})

test('auth login on Windows succeeds with one warning if whoami is missing', async () => {
  expect(await logIn('/nonexistent')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^warning: .*: whoami\.exe failed: no such program\nlogged/),
  })
})

test('config list on Windows and config set on other systems do not start icacls', async () => {
  await logIn()
  const before = noted('icacls')
  await onWindows('config list')
  await world.run('config set timeout 5')
  expect(noted('icacls')).toEqual(before)
})

test('doctor on Windows prints the icacls command for the settings file', async () => {
  await logIn()
  const { stdout } = await onWindows('doctor --local')
  expect(stdout).toContain(`(icacls "${join(world.configDir, 'config.json')}" shows who may read it)`)
})
