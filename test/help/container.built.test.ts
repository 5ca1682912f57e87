import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { version } from '../../src/version.ts'
import { runCommand } from '../helpers/command.ts'
import { type Container, childOf, hasNamespaces, inContainer, readDockerRun } from '../helpers/container.ts'
import { frontOf } from '../helpers/front.ts'
import { copyPackage } from '../helpers/installed.ts'
import { programsIn } from '../helpers/programs.ts'
import { startProgram } from '../helpers/serving.ts'
import { blockBehind } from '../helpers/shell.ts'
import { createWorld, type World } from '../helpers/world.ts'
import { notice } from '../suites/size.ts'

/** Arbitrary ID of a user other than root. */
const uid = 12345

let world: World
let front: Awaited<ReturnType<typeof frontOf>>
let runs: Container[]
let dockerfile: string

beforeEach(async () => {
  world = await createWorld()
  front = await frontOf(world)
  const calls = join(world.dir, 'calls')
  mkdirSync(calls)
  const docker = `printf '%s\\n' "$@" > "${calls}/$(ls '${calls}' | wc -l | tr -d ' ')"; [ "$1" != build ] || cat > '${calls}/built'`
  const bin = programsIn(join(world.dir, 'docker'), { docker, id: `echo ${uid}` })
  const script = `set -eu\n${blockBehind('## Containers', 'sh')}`
  const env = { ...front.env, PATH: `${bin}:${process.env['PATH']}` }
  expect(await runCommand('sh', ['-c', script], env, '', { cwd: world.dir })).toMatchObject({
    code: 0,
    stderr: '',
  })
  const called = readdirSync(calls)
    .sort()
    .filter((name) => name !== 'built')
  const words = called.map((name) => readFileSync(join(calls, name), 'utf8').trimEnd().split('\n'))
  runs = words.flatMap(([verb, ...rest]) => (verb === 'run' ? [readDockerRun(rest, env)] : []))
  dockerfile = readFileSync(join(calls, 'built'), 'utf8')
})

function commandOf(index: number): [string, ...string[]] {
  const container = runs[index]
  if (!container) throw new Error(`there is no container ${index}`)
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? []
  const words = [...(container.image === 'meetroom' ? JSON.parse(entry) : []), ...container.words]
  const program = 'exec /mnt/node /mnt/meetroom/bin/meetroom.js "$@"'
  const bin = programsIn(join(world.dir, 'image'), { meetroom: program, npx: `shift 4; ${program}` })
  const root = join(world.dir, 'root')
  mkdirSync(root)
  // The volumes belong to the user, and their parent directories do not.
  for (const { from } of container.volumes)
    for (const path of [from, ...readdirSync(from).map((name) => join(from, name))]) chownSync(path, uid, uid)
  const packageDir = join(world.dir, 'package')
  copyPackage(packageDir)
  // Older versions of Node need libsql.
  mkdirSync(join(packageDir, 'node_modules'))
  const packages = { from: resolve('node_modules'), to: '/meetroom/node_modules', readOnly: true }
  const volumes = [...container.volumes, packages]
  return inContainer({ ...container, volumes, words }, bin, root, packageDir)
}
const run = (index: number) => {
  const [command, ...words] = commandOf(index)
  return runCommand(command, words, {})
}

test('each docker run of the container recipe sets a user and a read-only root file system', () => {
  expect(JSON.stringify(runs.map(({ words }) => words))).not.toContain(world.apiKey)
  expect(blockBehind('## Containers', 'sh')).not.toMatch(/API_KEY=(?!none )/)
  for (const { readOnly, user } of runs)
    expect({ readOnly, user }).toEqual({ readOnly: true, user: `${uid}:${uid}` })
  expect(dockerfile).toContain('RUN npm install --global "$package"\nENV XDG_CACHE_HOME=/var/cache\n')
  expect(blockBehind('## Containers', 'sh')).toContain(`package=./meetroom-${version}.tgz `)
})

if (!hasNamespaces) notice('readme', 'the containers of the README: no root, or no namespaces')

describe.runIf(hasNamespaces)('a read-only container', () => {
  test('users import in a read-only container imports a file from the mounted directory', async () => {
    writeFileSync(join(world.dir, 'people.csv'), 'user_id\nada\n')
    expect(await run(0)).toEqual({ code: 0, stdout: '', stderr: 'imported 1 of 1 user: created 1\n' })
    expect(existsSync(join(world.dir, 'rejects.csv'))).toBe(false)
    expect((await world.send('GET', '/users/ada')).status).toBe(200)
  })

  test('auth status in a read-only container reads the stored settings and key', async () => {
    const dir = world.configDir
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const { origin } = new URL(front.env.MEETROOM_BASE_URL)
    const profile = { base_url: front.env.MEETROOM_BASE_URL, api_key: world.apiKey, api_key_origin: origin }
    writeFileSync(join(dir, 'config.json'), JSON.stringify({ profiles: { default: profile } }), {
      mode: 0o600,
    })
    expect(await run(1)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^works +true$/m),
      stderr: '',
    })
  })

  test('serve in a read-only container stores its data in the mounted directory', async () => {
    const [command, ...words] = commandOf(2)
    const serving = startProgram(
      command,
      words.map((word) => word.replace("'8080'", "'0'")),
      {},
    )
    const line = await serving.logged(/export MEETROOM_BASE_URL=/)
    const base = line.replace(/.*=/, '').replace('0.0.0.0', '127.0.0.1')
    const key = readFileSync(join(world.dir, 'data/api-key'), 'utf8').trim()
    const made = await fetch(`${base}/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"user_id":"ada"}',
    })
    expect(made.status).toBe(200)
    process.kill(childOf(serving.child.pid), 'SIGTERM')
    expect(await serving.ended()).toMatchObject({ code: 0 })
    expect(serving.log()).toContain('stopping')
    expect(readdirSync(join(world.dir, 'data'))).toContain('workspace.db')
  })
})
