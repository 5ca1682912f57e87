import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { Journal } from '../../../../src/cli/import/journal/journal.ts'
import { readJournal } from '../../../../src/cli/import/journal/read-journal.ts'
import { testHost, testPid } from '../../../helpers/host.ts'
import {
  entriesOf,
  goOn,
  importFixture,
  journalOf,
  roomsCsv,
  sentRows,
  usersCsv,
  usersOf,
} from '../../../helpers/imports.ts'
import { fillDisk, mountDisk } from '../../../helpers/small-disk.ts'
import { answer } from '../../../helpers/world.ts'

const { world, run } = importFixture()
const journalName = journalOf('in.csv')
const journal = (name = journalName) => entriesOf(world.read(name))

describe('the path of a journal', () => {
  beforeEach(() => world.file('in.csv', usersCsv(1)))

  test('--journal refuses a symbolic link to an existing or a missing file', async () => {
    await run('users import in.csv --journal real.journal')
    const before = world.read('real.journal')
    for (const target of ['real.journal', 'nowhere']) {
      symlinkSync(world.path(target), world.path(`to-${target}`))
      expect(await run(`users import in.csv --journal to-${target}`)).toMatchObject({
        code: 2,
        stderr: `error: ${world.path(`to-${target}`)} is a symbolic link\nhint: pass the file itself\n`,
      })
    }
    expect(world.read('real.journal')).toBe(before)
    expect(existsSync(world.path('nowhere'))).toBe(false)
    expect(world.writes()).toEqual(['POST /users'])
  })

  test('--journal refuses a named pipe immediately', async () => {
    execFileSync('mkfifo', [world.path('pipe')])
    expect(await run('users import in.csv --journal pipe')).toMatchObject({
      code: 2,
      stderr: `error: ${world.path('pipe')} is not a regular file\n`,
    })
    expect(world.requests).toEqual([])
  })

  test.runIf(process.getuid?.() === 0)(
    '--journal refuses a file of another account, unless root runs in a directory of that account',
    async () => {
      world.file('theirs', '')
      chownSync(world.path('theirs'), 4711, 4711)
      expect(await run('users import in.csv --journal theirs')).toMatchObject({
        code: 2,
        stderr:
          `error: ${world.path('theirs')} belongs to another account of this machine (uid 4711)\n` +
          'hint: change the owner of the file, or pass another file\n',
      })
      expect([world.read('theirs'), world.requests]).toEqual(['', []])
      mkdirSync(world.path('checkout'))
      world.file('checkout/theirs', '')
      for (const name of ['checkout', 'checkout/theirs']) chownSync(world.path(name), 4711, 4711)
      expect(await run('users import in.csv --journal checkout/theirs')).toMatchObject({ code: 0 })
    },
  )
})

describe('the journal of an import', () => {
  test('the journal of users import contains the command, the input and the outcome of each valid row', async () => {
    await world.send('POST', '/users', { user_id: 'u2' })
    world.file('in.csv', `${usersCsv(3)}u4,N4,extra\n`)
    await run('users import in.csv --concurrency 1 --skip-invalid')
    const [head, ...entries] = journal()
    expect(head).toEqual({
      meetroom: 'journal',
      version: 1,
      command: 'users import',
      input: expect.stringMatching(/^[0-9a-f]{64}$/),
      target: 'https://meet.test/v1',
      options: expect.any(String),
    })
    expect(entries.filter(({ row }) => row)).toEqual([
      { row: 1, status: 'ok', id: 'u1' },
      { row: 2, status: 'failed', error: 'the user already exists' },
      { row: 3, status: 'ok', id: 'u3' },
    ])
    expect(sentRows(entries)).toEqual([1, 2, 3])
    expect(entries.at(-1)).toEqual({ end: true })
    expect(statSync(world.path(journalName)).mode & 0o777).toBe(0o600)
  })

  test('the journal of rooms import contains each row, but not its outcome, when the row is sent', async () => {
    world.file('in.csv', roomsCsv(20))
    const early: number[] = []
    world.intercept = (request, next) => {
      if (request.method === 'GET') return next()
      const row = Number(JSON.parse(request.body ?? '').name.slice(1))
      const entries = journal(journalOf('in.csv', 'rooms'))
      if (!sentRows(entries).includes(row) || entries.some((entry) => entry.row === row)) early.push(row)
      return next()
    }
    expect(await run('rooms import in.csv')).toMatchObject({ code: 0 })
    expect(early).toEqual([])
    expect(world.writes()).toHaveLength(20)
  })

  test('the journal of users import prevents repeated requests for completed rows', async () => {
    const before = ['u2', 'u4', 'u5']
    for (const user_id of before) await world.send('POST', '/users', { user_id })
    world.file('in.csv', usersCsv(6))
    await run(`users import in.csv --journal ${journalName}`)
    for (const id of before) await world.send('DELETE', `/users/${id}`)
    const first = journal().length
    await run(`users import in.csv --journal ${journalName} --resume`)
    expect(sentRows(journal().slice(first))).toEqual([2, 4, 5])
    expect(await world.users()).toEqual(usersOf(6))
  })

  test('users import deletes its journal when every row succeeds, unless --journal names the file', async () => {
    world.file('in.csv', usersCsv(1))
    await run('users import in.csv')
    await run('users import in.csv')
    expect(journal().at(-1)).toEqual({ end: true })
    rmSync(world.path(journalName))
    const files = async (flags: string) => {
      await run(`users import in.csv --if-exists overwrite ${flags}`.trim())
      const found = readdirSync(world.dir).filter((name) => name !== 'in.csv' && name !== 'config')
      for (const name of found) rmSync(world.path(name))
      return found
    }
    expect(await files('')).toEqual([])
    expect(await files('--journal elsewhere')).toEqual(['elsewhere'])
    expect(await files('--no-journal')).toEqual([])
    expect(await files('--dry-run')).toEqual([])
  })

  test('users import from standard input writes a journal only with --journal', async () => {
    const stdin = usersCsv(1)
    await run('users import - --input-format csv', stdin)
    expect(readdirSync(world.dir)).toEqual([])
    await run('users import - --input-format csv --journal my.journal', stdin)
    expect(journal('my.journal').at(-1)).toEqual({ end: true })
  })

  test('the journal of rooms import masks the key even if the service sends the key as an ID', async () => {
    world.file('in.csv', roomsCsv(1))
    world.intercept = async (request, next) =>
      request.method === 'POST'
        ? answer(200, { room: { id: world.apiKey, ...JSON.parse(request.body ?? '') } })
        : next()
    expect(await run('rooms import in.csv --journal my.journal')).toMatchObject({ code: 0 })
    expect(journal('my.journal')).toContainEqual(
      expect.objectContaining({ row: 1, status: 'ok', id: '[API key]' }),
    )
    expect(world.read('my.journal')).not.toContain(world.apiKey)
  })

  test('users import exits 74 before any request if its journal cannot be written', async () => {
    world.file('in.csv', usersCsv(1))
    const { code, stderr } = await run('users import in.csv --journal nowhere/my.journal')
    expect(code).toBe(74)
    expect(stderr).toMatch(
      /^error: the journal .*nowhere\/my\.journal.* cannot be written: no such directory\nhint: choose another file with --journal FILE, or pass --no-journal\n$/,
    )
    expect(world.requests).toEqual([])
  })
})

describe('a journal on a full disk', () => {
  const rows = 1000

  async function openOnSmallDisk() {
    const disk = world.path('disk')
    if (!mountDisk(disk)) return undefined
    const [path, ballast] = [join(disk, 'journal'), join(disk, 'ballast')]
    const purpose = { command: 'rooms import', input: '', target: '', options: '' }
    return {
      path,
      journal: await Journal.open(path, purpose, { rows, resume: false, host: testHost() }),
      fill: () => fillDisk(ballast),
      free: () => rmSync(ballast),
    }
  }

  test('a journal on a full disk stays readable, and refuses further entries even after space becomes free', async ({
    skip,
  }) => {
    const small = await openOnSmallDisk()
    if (!small) return skip('mounting a small disk takes more rights')
    const { path, journal, fill, free } = small
    fill()
    let row = 1
    const sendAll = async () => {
      for (; row <= rows; row++) await journal.recordSending([row])
    }
    await expect(sendAll()).rejects.toThrow('no space left on the disk')
    free()
    // The request in flight gets a response, and the next request is prepared.
    journal.recordOutcome({ row: 1, status: 'ok' })
    await expect(journal.recordSending([row + 1])).rejects.toThrow('no space left on the disk')
    await expect(journal.close(false)).rejects.toThrow('no space left on the disk')

    const past = (await readJournal(path, rows))?.state
    const statuses = Array.from({ length: rows }, (_, i) => past?.statusOf(i + 1))
    expect(statuses).toEqual([...Array(row - 1).fill('unknown'), ...Array(rows - row + 1).fill('unsent')])
  })
})

describe('an import with a journal', () => {
  beforeEach(() => world.file('in.csv', usersCsv(2)))

  test('users import with a journal overwrites the journal of the previous complete run', async () => {
    await run(`users import in.csv --journal ${journalName}`)
    expect(await run(`users import in.csv --if-exists skip --journal ${journalName}`)).toMatchObject({
      code: 0,
    })
    expect(journal().filter(({ row }) => row)).toEqual([
      { row: 1, status: 'skipped', id: 'u1' },
      { row: 2, status: 'skipped', id: 'u2' },
    ])
  })

  test('users import --resume retries only the failed rows in its journal', async () => {
    await world.send('POST', '/users', { user_id: 'u2' })
    await run(`users import in.csv --journal ${journalName}`)
    await world.send('DELETE', '/users/u2')
    world.requests.length = 0
    expect(await run(`users import in.csv --journal ${journalName} --resume`)).toMatchObject({
      code: 0,
      stderr: 'imported 2 of 2 users; 1 recorded as done by an earlier run\n',
    })
    expect(world.writes()).toEqual(['POST /users'])
    expect(await world.users()).toEqual(usersOf(2))
    world.requests.length = 0
    expect(await run(`users import in.csv --journal ${journalName} --resume`)).toMatchObject({ code: 0 })
    expect(world.requests).toEqual([])
  })

  test('users import --if-exists skip --resume counts the rows that the earlier run skipped', async () => {
    await world.send('POST', '/users', { user_id: 'u2' })
    await run(`users import in.csv --if-exists skip --journal ${journalName}`)
    expect(await run(`users import in.csv --if-exists skip --journal ${journalName} --resume`)).toMatchObject(
      {
        code: 0,
        stderr: 'imported 1 of 2 users; 1 skipped; 2 recorded as done by an earlier run\n',
      },
    )
  })

  test('users import runs again after an exit with 4 for a missing key', async () => {
    expect(await world.run('users import in.csv', { env: { MEETROOM_API_KEY: undefined } })).toMatchObject({
      code: 4,
    })
    expect(await run('users import in.csv')).toMatchObject({ code: 0 })
  })

  test('users import with a wrong key exits 4, and the suggested command completes the import', async () => {
    const { code, stderr } = await world.run('users import in.csv', {
      env: { MEETROOM_API_KEY: 'wrong-key' },
    })
    expect({ code, words: goOn(stderr) }).toEqual({
      code: 4,
      words: ['users', 'import', 'in.csv', '--base-url', 'https://meet.test/v1'],
    })
    expect((await world.run(goOn(stderr))).code).toBe(0)
    expect(await world.users()).toEqual(usersOf(2))
  })
})

describe('an unfinished import', () => {
  beforeEach(async () => {
    world.file('in.csv', usersCsv(2))
    await world.cutOff('users import in.csv')
  })
  const hint = 'hint: resume with the same file and flags, or delete the journal to start over\n'
  const path = () => world.path(journalName)

  test.each<[string, string, () => unknown, () => string]>([
    [
      'a run without --resume',
      'users import in.csv',
      () => {},
      () =>
        `error: an earlier import (journal ${path()}) did not finish\n` +
        'hint: resume with: meetroom users import in.csv --resume --base-url https://meet.test/v1, or delete the journal to start over\n',
    ],
    [
      'a changed input',
      'users import in.csv --resume',
      () => appendFileSync(world.path('in.csv'), 'u3,N3\n'),
      () => `error: the journal ${path()} belongs to another input, or the file has changed\n${hint}`,
    ],
    [
      'another service',
      'users import in.csv --resume --base-url https://other.test/v1',
      () => {},
      () => `error: the journal ${path()} belongs to another service, https://meet.test/v1\n${hint}`,
    ],
    [
      'another --if-exists',
      'users import in.csv --resume --if-exists skip',
      () => {},
      () => `error: the journal ${path()} belongs to an import with other flags\n${hint}`,
    ],
    [
      'another --map',
      'users import in.csv --resume --map name=email',
      () => {},
      () => `error: the journal ${path()} belongs to an import with other flags\n${hint}`,
    ],
    [
      'another command',
      `members import in.csv --resume --room r --journal ${journalName}`,
      () => {},
      () => `error: the journal ${path()} belongs to another command\n${hint}`,
    ],
    [
      'a missing journal',
      'users import in.csv --resume --journal other',
      () => {},
      () =>
        `error: there is no journal ${world.path('other')} to resume\nhint: start the import with: meetroom users import in.csv --journal other --base-url https://meet.test/v1\n`,
    ],
    [
      '--journal that names the input file',
      'users import in.csv --journal in.csv',
      () => {},
      () => `error: ${world.path('in.csv')} is not an import journal\n`,
    ],
    [
      '--journal that names a file with other contents',
      'users import in.csv --journal precious.txt',
      () => world.file('precious.txt', 'precious'),
      () => `error: ${world.path('precious.txt')} is not an import journal\n`,
    ],
    [
      'foreign text in a line of the journal',
      'users import in.csv --resume',
      () => world.file(journalName, `${world.read(journalName)?.replace('{"sent":1,', 'sent 1')}`),
      () => `error: the journal ${path()} is damaged\n`,
    ],
    [
      '--resume with --no-journal',
      'users import in.csv --resume --no-journal',
      () => {},
      () =>
        'error: --resume needs a journal\nhint: type: meetroom users import in.csv --resume --base-url https://meet.test/v1\n',
    ],
  ])('an unfinished users import causes a usage error for %s', async (_what, line, arrange, stderr) => {
    arrange()
    const [input, before] = [world.read('in.csv'), world.read(journalName)]
    expect(await run(line)).toMatchObject({ code: 2, stdout: '', stderr: stderr() })
    expect(world.requests).toEqual([])
    expect([world.read('in.csv'), world.read(journalName)]).toEqual([input, before])
    expect(readdirSync(world.dir).filter((name) => name.includes('.lock'))).toEqual([])
  })

  test.each([
    '{"sent":2,"to":1}',
    '{"sent":0,"to":2}',
    '{"sent":1.5,"to":2}',
    '{"row":1,"status":"great"}',
    '{}',
    '7',
    '[]',
  ])('an unfinished import cannot be resumed if the journal contains the line %s', async (line) => {
    appendFileSync(path(), `${line}\n{"end":true}\n`)
    expect(await run('users import in.csv --resume')).toMatchObject({
      code: 2,
      stderr: `error: the journal ${path()} is damaged\n`,
    })
    expect(world.requests).toEqual([])
  })

  test('an unfinished import can be resumed if the journal contains entries for rows beyond the end of the input', async () => {
    appendFileSync(path(), '{"sent":2,"to":1000000000000}\n{"row":1000000000000,"status":"ok"}\n')
    expect(await run('users import in.csv --resume')).toMatchObject({
      code: 0,
      stderr: 'imported 2 of 2 users\n',
    })
  })

  test('an unfinished import can be resumed if the last line of the journal is damaged', async () => {
    appendFileSync(path(), '\0\0\0\0,"status":"ok"}\n')
    expect(await run('users import in.csv --resume')).toMatchObject({
      code: 0,
      stderr: 'imported 2 of 2 users\n',
    })
  })

  test('an unfinished import cannot be resumed from standard input without --journal', async () => {
    expect(await run('users import - --input-format csv --resume', usersCsv(2))).toMatchObject({
      code: 2,
      stderr: 'error: --resume needs a journal\nhint: pass the file of the journal with --journal\n',
    })
  })
})

describe('a second import with the same journal', () => {
  beforeEach(() => world.file('in.csv', usersCsv(9)))
  const inUse = () =>
    `error: another import (process ${testPid + 1}) holds the journal lock ${world.path(`${journalName}.lock`)}\n` +
    `hint: wait until that process ends; if it does not exist, delete ${world.path(`${journalName}.lock`)}\n`

  test('a second import with the same journal is refused, and the first import completes', async () => {
    let second: Awaited<ReturnType<typeof run>> | undefined
    let asked = 0
    world.intercept = async (_request, next) => {
      if (++asked === 5) second = await run('users import in.csv --resume')
      return next()
    }
    expect(await world.run('users import in.csv', { pid: testPid + 1 })).toMatchObject({ code: 0 })
    expect(second).toMatchObject({ code: 2, stdout: '', stderr: inUse() })
    // One request is the probe after the first user that does not exist.
    expect(world.requests).toHaveLength(19)
    expect(await world.users()).toEqual(usersOf(9))
    expect(world.read(`${journalName}.lock`)).toBeUndefined()
  })

  test('a second import with the same journal is refused if the process in the lock file is running', async () => {
    world.file(`${journalName}.lock`, `${testPid + 1}\n`)
    expect(await run('users import in.csv')).toMatchObject({ code: 2, stderr: inUse() })
    expect(world.requests).toEqual([])
    expect(world.read(`${journalName}.lock`)).toBe(`${testPid + 1}\n`)
    expect(world.read(journalName)).toBeUndefined()
  })

  test.each(['999999999\n', '', 'nobody\n', '0\n', '-1\n', `${testPid}\n`])(
    'a second import with the same journal replaces a stale lock file with the content %j',
    async (lock) => {
      world.file(`${journalName}.lock`, lock)
      expect(await run('users import in.csv')).toMatchObject({ code: 0 })
      expect(await world.users()).toEqual(usersOf(9))
      expect(readdirSync(world.dir).sort()).toEqual(['in.csv'])
    },
  )
})
