import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { readKeyCommand } from '../../../src/cli/requests/key-command.ts'
import { filesOf } from '../../helpers/calls.ts'
import { documentation } from '../../helpers/documentation.ts'
import { fingerprint } from '../../helpers/login.ts'
import { soon } from '../../helpers/waiting.ts'
import { answer, baseUrl, createWorld, type World } from '../../helpers/world.ts'

let world: World
let file: string
let script: string
beforeEach(async () => {
  world = await createWorld()
  file = join(world.configDir, 'config.json')
  script = join(world.dir, 'my key')
  writeKeyCommand(`echo ${world.apiKey}`)
})

function writeKeyCommand(text: string): void {
  writeFileSync(script, `#!/bin/sh\necho run >> '${world.dir}/runs'\n${text}\n`, { mode: 0o700 })
}
const runs = () =>
  existsSync(join(world.dir, 'runs')) ? readFileSync(join(world.dir, 'runs'), 'utf8').length / 4 : 0

const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
const stored = () => JSON.parse(readFileSync(file, 'utf8'))
function store(more: object = {}): void {
  mkdirSync(world.configDir, { recursive: true, mode: 0o700 })
  const profile = {
    base_url: baseUrl,
    key_command: `'${script}'`,
    api_key_origin: new URL(baseUrl).origin,
    ...more,
  }
  writeFileSync(file, JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 })
}

test('auth login --key-command stores the command instead of the key', async () => {
  const argv = ['auth', 'login', '--base-url', baseUrl, '--key-command', `'${script}'`]
  expect(await world.run(argv, { env })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `logged in to https://meet.test as profile default\nkey fingerprint ${fingerprint(world.apiKey)}\n`,
  })
  expect(stored().profiles.default).toEqual({
    base_url: baseUrl,
    key_command: `'${script}'`,
    api_key_origin: 'https://meet.test',
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(runs()).toBe(1)
})

test.each([
  ['fails', 'exit 1', 4, 'the key command of --key-command failed with exit code 1'],
  ['prints a key that is refused', 'echo wrong-key-1234', 4, 'refuses this key; nothing was stored'],
  ['prints a key that is too short', 'echo short', 2, 'the key must have at least 8 characters'],
])('auth login --key-command stores no settings if the command %s', async (_, text, code, words) => {
  writeKeyCommand(text)
  const argv = ['auth', 'login', '--base-url', baseUrl, '--key-command', `'${script}'`]
  const found = await world.run(argv, { env })
  expect(found).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) })
  expect(found.stderr).not.toContain('wrong-key-1234')
  expect(existsSync(file)).toBe(false)
})

test('rooms list passes arguments to the key command unchanged, without a shell', async () => {
  writeFileSync(
    join(world.dir, 'words'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${world.dir}/said'\necho ${world.apiKey}\n`,
    { mode: 0o700 },
  )
  store({ key_command: `${world.dir}/words 'a b' "c;d" 'e$HOME' '\`id\`' '*' "f'g"` })
  expect((await world.run('rooms list', { env })).code).toBe(0)
  expect(readFileSync(join(world.dir, 'said'), 'utf8')).toBe("a b\nc;d\ne$HOME\n`id`\n*\nf'g\n")
})

test('users delete runs its key command once for several requests', async () => {
  store()
  for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
  writeKeyCommand(`echo noise >&2; echo '  ${world.apiKey}  '`)
  const { code, stdout, stderr } = await world.run('users delete ada grace --yes --verbose', { env })
  expect(code, stderr).toBe(0)
  expect(runs()).toBe(1)
  const { 'my key': _, ...files } = filesOf(world.dir)
  expect(JSON.stringify(files) + stdout + stderr).not.toContain(world.apiKey)
  expect(stderr).not.toContain('noise')
})

test('rooms list masks the key of the key command in an error of the service', async () => {
  store()
  world.intercept = async () => answer(500, { error: { message: `your key is ${world.apiKey}` } })
  const { stderr } = await world.run('rooms list', { env })
  expect(stderr).toContain('your key is [API key]')
})

describe('failing key commands', () => {
  test.each([
    [
      'fails',
      'echo "locked\u0007" >&2; exit 3',
      'failed with exit code 3',
      'the command printed: locked\\u0007',
    ],
    [
      'fails after printing the key',
      'echo KEY; echo "bad KEY" >&2; exit 3',
      'failed with exit code 3',
      'the command printed: bad [API key]',
    ],
    ['prints nothing', 'true', 'prints nothing', 'run the command in a shell'],
    ['prints only spaces', 'echo "  "', 'prints nothing', 'run the command in a shell'],
    ['prints several lines', 'echo KEY; echo KEY', 'prints more than one line', 'run the command in a shell'],
    ['prints an endless output', 'yes', 'prints too much', 'run the command in a shell'],
    ['is killed', 'kill -9 $$', 'was ended by SIGKILL', 'run the command in a shell'],
    [
      'prints a space within a key',
      'echo KEY KEY',
      'prints a space or another character that is not allowed in a key',
      'run the command in a shell',
    ],
    [
      'prints a key with a character beyond ASCII',
      'echo KEYé',
      'prints a space or another character that is not allowed in a key',
      'run the command in a shell',
    ],
  ])('rooms list exits 4 and sends no request if the key command %s', async (_, text, why, hint) => {
    store()
    writeKeyCommand(text.replaceAll('KEY', world.apiKey))
    const { code, stdout, stderr } = await world.run('rooms list', { env })
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain(`error: no API key: the key command of profile default ${why}\nhint: ${hint}`)
    expect(stderr).not.toContain(world.apiKey)
    expect(stderr).not.toContain('MEETROOM_API_KEY')
    expect(world.requests).toEqual([])
  })

  test('rooms list exits 4 if the program of the key command does not exist', async () => {
    store({ key_command: 'no-such-program-here x' })
    expect(await world.run('rooms list', { env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('names an unknown program: “no-such-program-here”'),
    })
  })

  test('rooms list exits 4 if the key command takes more than ten seconds', async () => {
    store()
    writeKeyCommand('sleep 3 & exec sleep 60')
    const { host, done } = world.start(['rooms', 'list'], { env })
    const delays = host.hurry()
    expect(await done).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('took more than 10 seconds'),
    })
    expect(delays).toContain(10_000)
  })
})

describe.each([
  ['without a terminal', false],
  ['on a terminal', true],
])('%s, the child processes of a key command', (_, tty) => {
  const grandchild = () => Number(readFileSync(join(world.dir, 'pid'), 'utf8'))
  const isGone = async (pid: number) => {
    for (;;) {
      try {
        // A zombie process has also ended.
        if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return
      } catch {
        return
      }
      await new Promise((turn) => setTimeout(turn, 5))
    }
  }
  const isStarted = async () => {
    while (!existsSync(join(world.dir, 'pid'))) await new Promise((turn) => setTimeout(turn, 5))
  }

  test.runIf(process.platform === 'linux')(
    `${tty ? 'on' : 'without'} a terminal, rooms list kills the child processes of a key command after the timeout`,
    async () => {
      store()
      writeKeyCommand(`(sleep 60 & echo $! > pid.new; mv pid.new '${world.dir}/pid'; wait) & wait`)
      const { host, done } = world.start(['rooms', 'list'], { env, tty })
      host.after = (ms, work) => {
        if (ms === 10_000) void isStarted().then(work)
        return () => {}
      }
      expect(await done).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('took more than 10 seconds'),
      })
      await soon('the end of the process', isGone(grandchild()))
    },
  )

  test.runIf(process.platform === 'linux')(
    `${tty ? 'on' : 'without'} a terminal, rooms list exits 0 while a child process of the key command is running`,
    async () => {
      store()
      writeKeyCommand(`sleep 60 &\necho $! > '${world.dir}/pid'\necho ${world.apiKey}`)
      expect(await soon('the end', world.run(['rooms', 'list'], { env, tty }))).toMatchObject({ code: 0 })
      process.kill(grandchild(), 0)
      process.kill(grandchild(), 'SIGKILL')
    },
  )
})

test('rooms list exits 130 after ^C while its key command runs', async () => {
  store()
  writeKeyCommand('exec sleep 60')
  const { host, done } = world.start(['rooms', 'list'], { env })
  while (runs() === 0) await new Promise((turn) => setTimeout(turn, 5))
  host.signal('SIGINT')
  expect(await soon('the end', done)).toMatchObject({ code: 130 })
})

describe('unused key commands', () => {
  const refused = async (line: string, code: number, words: string, more: object = {}) => {
    const found = await world.run(line, { env: { ...env, ...more } })
    expect(found).toMatchObject({ code, stderr: expect.stringContaining(words) })
    expect(runs()).toBe(0)
    expect(world.requests).toEqual([])
  }

  test('rooms list exits 2 without running the key command if other accounts can change the settings file', async () => {
    store()
    chmodSync(file, 0o620)
    await refused('rooms list', 2, 'other accounts of this machine can write to the settings file')
    chmodSync(file, 0o600)
    chmodSync(world.configDir, 0o777)
    await refused('rooms list', 2, 'other accounts of this machine can replace the settings file')
  })

  test('rooms list exits 2 if other accounts can replace the symbolic link to the settings file', async () => {
    store()
    const kept = join(world.dir, 'dotfiles')
    mkdirSync(kept, { mode: 0o700 })
    renameSync(file, join(kept, 'config.json'))
    symlinkSync(join(kept, 'config.json'), file)
    chmodSync(world.configDir, 0o777)
    await refused('rooms list', 2, 'other accounts of this machine can replace the settings file')
    chmodSync(world.configDir, 0o700)
    expect(await world.run('rooms list', { env })).toMatchObject({ code: 0 })
  })

  test('rooms list exits 4 without running the key command if the profile has another origin', async () => {
    store()
    await refused('rooms list --base-url https://elsewhere.test/v1', 4, 'belongs to https://meet.test')
    store({ api_key_origin: undefined })
    await refused('rooms list', 4, 'is not sent to https://meet.test')
  })

  test('rooms list uses a key from the environment instead of the key command', async () => {
    store()
    expect(await world.run('rooms list', { env: { MEETROOM_BASE_URL: undefined } })).toMatchObject({
      code: 0,
    })
    expect(runs()).toBe(0)
  })

  test('shell completion exits 0 without running the key command', async () => {
    store()
    expect(await world.run(['__complete', 'fish', '--', 'meetroom rooms get '], { env })).toMatchObject({
      code: 0,
      stdout: 'words\n',
      stderr: '',
    })
    expect([runs(), world.requests.length]).toEqual([0, 0])
  })

  test.each([
    ['op read x | head -1', 'must not contain “|”, because it runs without a shell'],
    ['pass $KEY', 'must not contain “$”'],
    ['~/bin/key', 'must not contain “~”'],
    ["pass 'show", 'ends within'],
    ['', 'is empty'],
    ['bin/key', 'the path of the key command must be absolute, not “bin/key”'],
    ['pass show \0', 'contains a NUL character'],
  ])('rooms list exits 2 for the invalid key command %j', async (key_command, words) => {
    store({ key_command })
    await refused('rooms list', 2, words)
    const argv = ['auth', 'login', '--base-url', baseUrl, '--key-command', key_command]
    expect(await world.run(argv, { env })).toMatchObject({ code: 2, stderr: expect.stringContaining(words) })
  })
})

describe('the key command of a profile', () => {
  beforeEach(() => store())

  test('auth status, config list and profiles list print the source of the key without the key', async () => {
    const status = await world.run('auth status --json', { env })
    expect(JSON.parse(status.stdout)).toMatchObject({
      key_from: 'command of profile default',
      works: true,
      key_fingerprint: fingerprint(world.apiKey),
      key_stored_at: null,
    })
    const config = await world.run('config list --show-origin -o csv', { env })
    expect(config.stdout).toContain('api_key,printed by a command,profile default')
    const profiles = await world.run('profiles list --json', { env })
    expect(JSON.parse(profiles.stdout).profiles[0]).toMatchObject({ has_key: true, key_from: 'command' })
    const table = await world.run('profiles list', { env })
    expect(table.stdout).toMatch(/KEY FROM\n.*\ndefault .* command\n/)
    expect(status.stdout + config.stdout + profiles.stdout).not.toContain(world.apiKey)
    expect(config.stdout + profiles.stdout).not.toContain(script)
  })

  test('auth logout and auth login --with-token delete the key command of a profile', async () => {
    const loggedIn = await world.run('auth login --with-token', { env, stdin: world.apiKey })
    expect(loggedIn.code).toBe(0)
    expect(stored().profiles.default).not.toHaveProperty('key_command')
    store()
    expect(await world.run('auth logout', { env })).toMatchObject({
      stderr: 'deleted the key of profile default\n',
    })
    expect(stored().profiles.default).toEqual({ base_url: baseUrl })
  })

  test('config set key_command and config unset key_command exit 2', async () => {
    expect(await world.run('config set key_command x', { env })).toMatchObject({ code: 2 })
    expect(await world.run('config unset key_command', { env })).toMatchObject({ code: 2 })
  })
})

describe('auth status --github-mask', () => {
  const actions = { ...env, GITHUB_ACTIONS: 'true' }

  test('auth status --github-mask prints ::add-mask:: with the escaped key in GitHub Actions', async () => {
    store()
    writeKeyCommand('echo 100%-of-a-key')
    const { stderr } = await world.run('auth status --github-mask', { env: actions })
    expect(stderr.split('\n')[0]).toBe('::add-mask::100%25-of-a-key')
  })

  test('commands without --github-mask print no key in GitHub Actions', async () => {
    store()
    for (const line of ['auth status', 'rooms list', 'doctor']) {
      const { stdout, stderr } = await world.run(line, { env: actions })
      expect(stdout + stderr).not.toContain('::add-mask::')
      expect(stdout + stderr).not.toContain(world.apiKey)
    }
  })

  test.each([
    ['outside GitHub Actions', { env }],
    ['on a terminal', { env: actions, tty: true }],
  ])('auth status --github-mask exits 2 %s', async (_, options) => {
    store()
    const { code, stdout, stderr } = await world.run('auth status --github-mask', options)
    expect(code).toBe(2)
    expect(stdout + stderr).not.toContain(world.apiKey)
    expect(runs()).toBe(0)
  })
})

test('the key commands in the documentation are valid', () => {
  const lines = [...documentation().matchAll(/--key-command '(.*)'/g)]
  expect(lines.length).toBeGreaterThan(0)
  for (const [, line = ''] of lines) expect(readKeyCommand(line)[1]).toBeDefined()
})

test('auth status --json prints "works": false and exits 4 if the key command fails', async () => {
  store()
  writeKeyCommand('exit 1')
  const { code, stdout } = await world.run('auth status --json', { env })
  expect({ code, works: JSON.parse(stdout).works }).toEqual({ code: 4, works: false })
})
