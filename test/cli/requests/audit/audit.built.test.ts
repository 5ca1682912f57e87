import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { changes, readLog } from '../../../helpers/audit.ts'
import { runBuilt, runShell } from '../../../helpers/built.ts'
import { documentation } from '../../../helpers/documentation.ts'
import { serveHere } from '../../../helpers/serve-here.ts'
import { homes, startBuilt } from '../../../helpers/serving.ts'
import { heldService } from '../../../helpers/signalled.ts'
import { tempDir } from '../../../helpers/world.ts'

let dir: string
let log: string
beforeEach(() => {
  dir = tempDir()
  log = join(dir, 'audit.ndjson')
})

test('the audit log contains an intent without an outcome after a crash of the command', async () => {
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

test('the audit log contains only complete lines when several processes write to it', async () => {
  const { baseUrl, apiKey } = await serveHere()
  const env = { ...homes(), MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey, MEETROOM_AUDIT_LOG: log }
  const files = ['a', 'b', 'c'].map((name) => {
    const file = join(dir, `${name}.csv`)
    const rows = Array.from({ length: 50 }, (_, i) => `${name}${i}`)
    writeFileSync(file, `user_id\n${rows.join('\n')}\n`)
    return file
  })
  const runs = files.map((file) => runBuilt(['users', 'import', file, '--yes', '--no-journal'], env))
  for (const { code, stderr } of await Promise.all(runs)) expect(code, stderr).toBe(0)
  const recorded = changes(log)
  expect(recorded).toHaveLength(150)
  expect(recorded.every(({ outcomes }) => outcomes.length === 1)).toBe(true)
})

describe('an audit log rotated during an import', () => {
  const many = 400
  const users = Array.from({ length: many }, (_, i) => `u${i}`)
  const intended = (...texts: string[]) =>
    new Set(
      texts
        .flatMap((text) => text.split('\n').filter(Boolean))
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === 'intent')
        .map(({ ids }) => ids.user_id),
    )
  const file = () => {
    writeFileSync(join(dir, 'users.csv'), `user_id\n${users.join('\n')}\n`)
    return join(dir, 'users.csv')
  }

  const importUsers = async (service: { baseUrl: string; apiKey: string }) =>
    startBuilt(['users', 'import', file(), '--no-journal', '--concurrency', '4'], {
      ...homes(),
      MEETROOM_BASE_URL: service.baseUrl,
      MEETROOM_API_KEY: service.apiKey,
      MEETROOM_AUDIT_LOG: log,
    })
  /** Waits until the log has more than `bytes` bytes. */
  const waitForSize = async (bytes: number) => {
    while (!existsSync(log) || statSync(log).size <= bytes) await new Promise((done) => setTimeout(done, 5))
  }

  test('an audit log rotated during an import by rename, creation and gzip contains every intent in one of the files', async () => {
    const { ended, child, stderr } = await importUsers(await serveHere())
    for (const n of [1, 2, 3]) {
      await waitForSize(5000)
      renameSync(log, `${log}.${n}`)
      writeFileSync(log, '')
      writeFileSync(`${log}.${n}.gz`, gzipSync(readFileSync(`${log}.${n}`)))
      rmSync(`${log}.${n}`)
    }
    expect(child.exitCode).toBe(null)
    expect((await ended()).code, stderr.all.join('\n')).toBe(0)
    const old = [1, 2, 3].map((n) => gunzipSync(readFileSync(`${log}.${n}.gz`)).toString())
    expect(intended(...old, readFileSync(log, 'utf8'))).toEqual(new Set(users))
  })

  test('an audit log rotated during an import by rm contains every later intent in a new file', async () => {
    const { ended } = await importUsers(await serveHere())
    await waitForSize(5000)
    const kept = `${log}.kept`
    linkSync(log, kept)
    rmSync(log)
    await waitForSize(5000)
    rmSync(log)
    await waitForSize(0)
    expect((await ended()).code).toBe(0)
    expect(intended(readFileSync(kept, 'utf8')).size).toBeLessThan(many)
    expect(intended(readFileSync(log, 'utf8'))).toContain(users.at(-1))
  })
})

test('the recipe for the audit log lists blocks, the last week, and changes with an unknown outcome', async () => {
  const readme = documentation()
  const [recipe = ''] = readme.match(/(?<=^```sh\n)export MEETROOM_AUDIT_LOG=[^`]*/m) ?? []
  const env = homes()
  const line = '{"id":"1","event":"intent","time":"2026-01-02T03:04:05Z","operation":"rooms.update"}'
  const crash = `printf '${line}\\n' >> "$HOME/meetroom-audit.ndjson"`
  const change =
    'MEETROOM_AUDIT_LOG="$HOME/meetroom-audit.ndjson" meetroom users create grace --quiet > /dev/null'
  const script = `${crash}; ${change}; ${recipe}`
  const { stdout, stderr } = await runShell(script, { ...env, MEETROOM_PROFILE: 'local' })
  expect(stderr).toBe('no changes\n')
  expect(stdout).toMatch(/\n2026-01-02T03:04:05\S+ +update room +unknown +no outcome: .*\n$/)
})
