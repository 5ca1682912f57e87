import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runBuilt } from '../helpers/built.ts'
import { runHere } from '../helpers/run-here.ts'
import { tempDir } from '../helpers/world.ts'
import { share } from '../suites/size.ts'

// For the first directory, recursive mkdir of Node 20 never returns.
const impossible = {
  'below /proc': () => '/proc/nonexistent/x',
  'below a file': () => {
    const file = join(tempDir(), 'file')
    writeFileSync(file, '')
    return join(file, 'x')
  },
}

// `PATH` is a placeholder for a directory that cannot be created.
const lines: Record<string, { env?: Record<string, string>; line: string; code: number }> = {
  MEETROOM_SAVE_DELETED: {
    env: { MEETROOM_SAVE_DELETED: 'PATH' },
    line: '--local users delete ada --yes',
    code: 74,
  },
  MEETROOM_CONFIG_DIR: { env: { MEETROOM_CONFIG_DIR: 'PATH' }, line: 'config set timeout 5s', code: 74 },
  MEETROOM_DATA_DIR: { env: { MEETROOM_DATA_DIR: 'PATH' }, line: '--local users list', code: 74 },
  'serve --data-dir': { line: 'serve --port 0 --data-dir PATH', code: 74 },
  'the key file of serve': { line: 'serve --port 0 --api-key-file PATH/key', code: 74 },
  'the audit log': { env: { MEETROOM_AUDIT_LOG: 'PATH/log' }, line: '--local users create bob', code: 74 },
  'the page of a report': { line: '--local sessions report ROOM --html PATH/page.html', code: 74 },
  'the file of --save': { line: '--local users delete ada --yes --save PATH/saved.jsonl', code: 74 },
  'the failed rows of an import': {
    line: '--local users import FILE --yes --failed-out PATH/failed.csv',
    code: 74,
  },
  'the journal of an import': {
    line: '--local users import FILE --yes --journal PATH/journal',
    code: 74,
  },
}

describe.each(Object.entries(impossible))('a directory %s that cannot be created', (name, pathOf) => {
  let home: Record<string, string>
  let file: string
  let room: string

  // A mkdir that never returns can only be killed by another process.
  const run = (argv: readonly string[], env: Record<string, string> = {}) =>
    name === 'below /proc'
      ? runBuilt(argv, { ...home, ...env }, '', { patienceMs: 15_000 })
      : runHere(argv, { env: { ...home, ...env } })

  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
    home = { HOME: dir, MEETROOM_CONFIG_DIR: join(dir, 'config'), MEETROOM_DATA_DIR: join(dir, 'data') }
    file = join(dir, 'users.csv')
    writeFileSync(file, 'user_id\nbob\n')
    const make = (line: string) => runHere(line.split(' '), { env: { ...home } })
    await make('--local users create ada')
    room = (await make('--local rooms create --name Maths -o ids')).stdout.trim()
    return () => rmSync(dir, { recursive: true })
  })

  const isMissing = name === 'below /proc' && !existsSync('/proc/self')

  test.skipIf(isMissing).each(share(Object.entries(lines), 0, name === 'below /proc' ? 3 : 1))(
    `the error for %s contains the path of the directory ${name} that cannot be created`,
    async (_, { env = {}, line, code }) => {
      const path = pathOf()
      const filled = (text: string) => text.replace('PATH', path).replace('FILE', file).replace('ROOM', room)
      const variables = Object.entries(env).map(([variable, value]) => [variable, filled(value)])
      const ended = await run(line.split(' ').map(filled), Object.fromEntries(variables))
      expect(ended.code, ended.stderr).toBe(code)
      const reason = name === 'below /proc' ? 'no such directory' : 'a part of the path is not a directory'
      expect(ended.stderr).toMatch(new RegExp(`^error: .*${path}.*: ${reason}`, 'm'))
    },
  )

  test.skipIf(isMissing)(
    `shell completion returns IDs if its cache directory ${name} cannot be created`,
    async () => {
      const completed = await run(['__complete', 'bash', 'meetroom --local users get '], {
        XDG_CACHE_HOME: pathOf(),
      })
      expect(completed).toEqual({ code: 0, stdout: 'words\nada\n', stderr: '' })
    },
  )
})

test('meetroom creates missing directories with owner-only access', async () => {
  const dir = tempDir()
  const env = { HOME: dir, MEETROOM_DATA_DIR: join(dir, 'a/b/c') }
  expect((await runHere(['--local', 'users', 'list'], { env })).code).toBe(0)
  const modes = ['a', 'a/b', 'a/b/c'].map((path) => statSync(join(dir, path)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o700, 0o700])
})
