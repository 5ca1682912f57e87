import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { changes, readLog } from '../../../helpers/audit.ts'
import { runBuilt, runShell } from '../../../helpers/built.ts'
import { documentation } from '../../../helpers/documentation.ts'
import { frontOf } from '../../../helpers/front.ts'
import { runHere } from '../../../helpers/run-here.ts'
import { serveHere } from '../../../helpers/serve-here.ts'
import { homes, startBuilt } from '../../../helpers/serving.ts'
import { heldService } from '../../../helpers/signalled.ts'
import { createWorld, tempDir } from '../../../helpers/world.ts'

let dir: string
let log: string
beforeEach(() => {
  dir = tempDir()
  log = join(dir, 'audit.ndjson')
})

test('the audit log contains only an intent after SIGKILL ends users update', async () => {
  const { baseUrl, holds } = await heldService()
  const env = {
    ...homes(),
    MEETROOM_BASE_URL: baseUrl,
    MEETROOM_API_KEY: 'key-0123456789',
    MEETROOM_AUDIT_LOG: log,
  }
  const { child, ended } = startBuilt(['users', 'update', 'ada', '--name', 'A'], env)
  await holds(1)
  child.kill('SIGKILL')
  await ended()
  expect(readLog(log)).toMatchObject([
    { event: 'intent', operation: 'users.update', ids: { user_id: 'ada' } },
  ])
})

test('the audit log contains complete lines if three processes write concurrently', async () => {
  const { baseUrl, apiKey } = await serveHere()
  const env = { ...homes(), MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey, MEETROOM_AUDIT_LOG: log }
  const files = ['a', 'b', 'c'].map((name) => {
    const file = join(dir, `${name}.csv`)
    const rows = Array.from({ length: 20 }, (_, i) => `${name}${i}`)
    writeFileSync(file, `user_id\n${rows.join('\n')}\n`)
    return file
  })
  const runs = files.map((file) => runBuilt(['users', 'import', file, '--yes', '--no-journal'], env))
  for (const { code, stderr } of await Promise.all(runs)) expect(code, stderr).toBe(0)
  const recorded = changes(log)
  expect(recorded).toHaveLength(60)
  expect(recorded.every(({ outcomes }) => outcomes.length === 1)).toBe(true)
})

test('users import logs the intent of every change during log rotation', async () => {
  const world = await createWorld()
  const front = await frontOf(world)
  const users = Array.from({ length: 100 }, (_, i) => `u${i}`)
  writeFileSync(join(world.dir, 'users.csv'), `user_id\n${users.join('\n')}\n`)
  const renameAndCompress = () => {
    renameSync(log, `${log}.1`)
    writeFileSync(log, '')
    writeFileSync(`${log}.gz`, gzipSync(readFileSync(`${log}.1`)))
    rmSync(`${log}.1`)
  }
  const remove = () => {
    linkSync(log, `${log}.kept`)
    rmSync(log)
  }
  const rotations = [renameAndCompress, remove]
  world.intercept = (_request, next) => {
    if (world.requests.length % 30 === 0) rotations.shift()?.()
    return next()
  }
  Object.assign(front.env, { MEETROOM_AUDIT_LOG: log })
  const { code, stderr } = await front.run('users import users.csv --no-journal --concurrency 4')
  expect({ code, rotations }, stderr).toEqual({ code: 0, rotations: [] })
  const files = [gunzipSync(readFileSync(`${log}.gz`)), readFileSync(`${log}.kept`), readFileSync(log)]
  const intended = files.map((text) =>
    `${text}`
      .split('\n')
      .filter((line) => line.includes('"intent"'))
      .map((line) => JSON.parse(line).ids.user_id),
  )
  // A line that is written during a rotation may be in two files.
  expect(new Set(intended.flat())).toEqual(new Set(users))
  for (const part of intended) expect(part).not.toEqual([])
})

test('the audit recipe in the documentation prints a change without an outcome as “unknown”', async () => {
  const readme = documentation()
  const [recipe = ''] = readme.match(/(?<=^```sh\n)export MEETROOM_AUDIT_LOG=[^`]*/m) ?? []
  const env = homes()
  const line = '{"id":"1","event":"intent","time":"2026-01-02T03:04:05Z","operation":"rooms.update"}'
  const crash = `printf '${line}\\n' >> "$HOME/meetroom-audit.ndjson"`
  const MEETROOM_AUDIT_LOG = join(env.HOME, 'meetroom-audit.ndjson')
  await runHere(['--local', 'users', 'create', 'grace'], { env: { ...env, MEETROOM_AUDIT_LOG } })
  const { stdout, stderr } = await runShell(`${crash}; ${recipe}`, { ...env, MEETROOM_PROFILE: 'local' })
  expect(stderr).toBe('no changes\n')
  expect(stdout).toMatch(/\n2026-01-02T03:04:05\S+ +update room +unknown +no outcome: .*\n$/)
})
