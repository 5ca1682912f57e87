import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { entriesOf, importFixture, journalOf, roomsCsv, roomsOf } from '../../helpers/imports.ts'
import { answer } from '../../helpers/world.ts'

const { world, run, user } = importFixture()
beforeEach(() => world.file('rooms.csv', roomsCsv(3)))
const allRooms = async () => (await world.send('GET', '/rooms?limit=1000')).body.rooms
const done = { code: 0, stdout: '', stderr: 'imported 3 of 3 rooms\n' }
const journal = journalOf('rooms.csv', 'rooms')
const earlierJournal = 'rooms.csv.journal'
const receipts = () => join(world.dir, 'data', 'receipts')
const receiptNames = () => (existsSync(receipts()) ? readdirSync(receipts()) : [])
const refused = (known: string, journal = `receipt ${join(receipts(), receiptNames()[0] ?? '')}`) => ({
  code: 2,
  stdout: '',
  stderr: expect.stringContaining(
    `error: ${known} rows were imported before (${journal}), and at least one of their rooms exists\n` +
      'hint: create only missing rooms with: meetroom rooms import rooms.csv ',
  ),
})

const namesakes = (service: string, flags = '') =>
  `warning: 3 of 3 rows create another room with an existing name: “R1”, “R2”, “R3”; skip existing rooms with: meetroom rooms import rooms.csv${flags} --match name --if-exists skip --base-url ${service}\n`

describe('a second rooms import of the same rows', () => {
  beforeEach(async () => {
    expect(await run('rooms import rooms.csv')).toMatchObject(done)
  })

  test('a second rooms import of the same rows exits 2 without a write, and prints the number of imported rows', async () => {
    world.requests.length = 0
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('3 of 3'))
    expect(await run('rooms import rooms.csv --dry-run')).toMatchObject(refused('3 of 3'))
    expect(world.writes()).toEqual([])
    // Each run sends one lookup.
    expect(world.sent()).toHaveLength(2)
    expect(await world.rooms()).toEqual(roomsOf(3))
  })

  test('a second rooms import exits 2 if a changed file contains some of the same rows in another column order', async () => {
    world.file('rooms.csv', 'type,name\nopen,New\nopen,R3\nopen,R1\n')
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('2 of 3'))
  })

  test('a second rooms import of the same rows exits 2 if at least one of the rooms exists', async () => {
    const [, ...others] = await allRooms()
    for (const { id } of others) await world.send('DELETE', `/rooms/${id}`)
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('3 of 3'))
  })

  test('a second rooms import of the same rows creates the rooms again and prints a notice if all rooms are deleted', async () => {
    for (const { id } of await allRooms()) await world.send('DELETE', `/rooms/${id}`)
    expect(await run('rooms import rooms.csv')).toMatchObject({
      ...done,
      stderr:
        `3 of 3 rows were imported before (receipt ${join(receipts(), receiptNames()[0] ?? '')}), but their rooms no longer exist; these rows are imported again\n` +
        done.stderr,
    })
    expect(await world.rooms()).toEqual(roomsOf(3))
  })

  test('a second rooms import of the same rows with --again creates the rooms a second time', async () => {
    expect(await run('rooms import rooms.csv --again')).toMatchObject(done)
    expect(await world.rooms()).toHaveLength(6)
  })

  test('a second rooms import of the same rows into another service creates the rooms', async () => {
    const other = { env: { MEETROOM_BASE_URL: 'https://other.test/v1' } }
    expect(await world.run('rooms import rooms.csv', other)).toMatchObject({
      ...done,
      stderr: namesakes('https://other.test/v1') + done.stderr,
    })
    expect(await world.rooms()).toHaveLength(6)
  })

  test('a second rooms import of the same rows with --match name --if-exists skip creates only the missing rooms', async () => {
    world.file('rooms.csv', roomsCsv(4))
    expect(await run('rooms import rooms.csv --match name --if-exists skip')).toMatchObject({
      code: 0,
      stderr: 'imported 1 of 4 rooms; 3 skipped\n',
    })
    expect(await world.rooms()).toEqual(roomsOf(4))
  })
})

test('rooms import --no-receipt removes the journal after a complete run and writes no receipt', async () => {
  expect(await run('rooms import rooms.csv --no-receipt')).toMatchObject(done)
  expect(world.read(journal)).toBeUndefined()
  expect(receiptNames()).toEqual([])
})

describe('a rooms import of rows without IDs', () => {
  test('rooms import warns about rows with the names of existing rooms, and suggests a command that skips these rows', async () => {
    for (let i = 1; i <= 7; i++) await world.room(`R${i}`)
    const dry = await run('rooms import rooms.csv --dry-run')
    const target = 'https://meet.test/v1'
    const summary = 'would create 3, overwrite 0, skip 0 of 3 rooms; 0 would fail\n'
    expect(dry.stderr).toBe(namesakes(target, ' --dry-run') + summary)
    expect(await run('rooms import rooms.csv --match name --if-exists skip')).toMatchObject({
      code: 0,
      stderr: 'imported 0 of 3 rooms; 3 skipped\n',
    })
    world.file('more.csv', `${roomsCsv(9)}R1,open\n`)
    // Repeated names prevent the suggestion of `--match name`.
    expect(await run('rooms import more.csv')).toMatchObject({
      code: 0,
      stderr:
        'warning: 8 of 10 rows create another room with an existing name: “R7”, “R6”, “R5” and 4 more\n' +
        'imported 10 of 10 rooms\n',
    })
    expect(await world.rooms()).toHaveLength(17)
  })

  test('rooms import lists no rooms with --quiet, --again or row IDs, and needs no permission to list rooms', async () => {
    await world.room('R1')
    world.file('ids.csv', 'id,name,type\n66f1a2b3c4d5e6f708192a3b,R1,open\n')
    for (const line of ['ids.csv', 'rooms.csv --quiet', 'rooms.csv --again']) {
      world.requests.length = 0
      expect(await run(`rooms import ${line}`)).toMatchObject({ code: 0 })
      expect(world.sent().filter((sent) => /^GET .rooms\?(?!limit=1$)/.test(sent))).toEqual([])
    }
    world.intercept = async ({ method, url }, next) =>
      method === 'GET' && url.includes('/rooms?') ? answer(403, { error: { code: 'forbidden' } }) : next()
    world.file('new.csv', roomsCsv(3))
    expect(await run('rooms import new.csv')).toMatchObject(done)
  })
})

describe('the receipt of rooms import', () => {
  test('the receipt of rooms import is stored in the data directory with owner-only access', async () => {
    expect(await run('rooms import rooms.csv')).toMatchObject(done)
    expect(world.read(journal)).toBeUndefined()
    expect(receiptNames()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.journal$/)])
    expect(statSync(receipts()).mode & 0o777).toBe(0o700)
    expect(statSync(join(receipts(), receiptNames()[0] ?? '')).mode & 0o777).toBe(0o600)
  })

  test('rooms import stores its receipt even with --journal, and keeps the file of --journal', async () => {
    expect(await run('rooms import rooms.csv --journal my.journal')).toMatchObject(done)
    expect(receiptNames()).toHaveLength(1)
    expect(await run('rooms import rooms.csv --journal my.journal')).toMatchObject(
      refused('3 of 3', 'my.journal'),
    )
  })

  test.each(['', ' --journal my.journal'])(
    'a receipt of rooms import%s prevents a second import without --again, with or without a journal',
    async (first) => {
      expect(await run(`rooms import rooms.csv${first}`)).toMatchObject(done)
      for (const second of ['', ' --journal other.journal', ' --no-journal', ' --no-receipt'])
        expect(await run(`rooms import rooms.csv${second}`)).toMatchObject(refused('3 of 3'))
      expect(await run('rooms import rooms.csv --no-journal --again')).toMatchObject(done)
    },
  )

  test('the receipt of rooms import --journal is stored even if some rows fail', async () => {
    world.file('rooms.csv', 'name,type,members\nA,open,\nB,open,nobody\n')
    expect(await run('rooms import rooms.csv --journal my.journal')).toMatchObject({ code: 8 })
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('1 of 2'))
  })

  test.each([journal, earlierJournal])(
    'rooms import is refused with another journal or without a journal after an interrupted run with the journal %s',
    async (name) => {
      await world.cutOff('rooms import rooms.csv --concurrency 1')
      renameSync(world.path(journal), world.path(name))
      for (const flags of ['--journal my.journal', '--no-journal', '--shard 1/2'])
        expect(await run(`rooms import rooms.csv ${flags}`)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(`(journal ${world.path(name)}) did not finish\n`),
        })
      expect(world.writes()).toEqual([])
    },
  )

  test('a receipt that an earlier version stored beside the input file prevents a second rooms import', async () => {
    expect(await run('rooms import rooms.csv')).toMatchObject(done)
    renameSync(join(receipts(), receiptNames()[0] ?? ''), world.path(earlierJournal))
    for (const flags of ['', ' --journal my.journal', ' --no-journal'])
      expect(await run(`rooms import rooms.csv${flags}`)).toMatchObject(refused('3 of 3', earlierJournal))
    expect(await run('rooms import rooms.csv --shard 1/2')).toMatchObject({ code: 2 })
    expect(await world.rooms()).toEqual(roomsOf(3))
  })

  test('the receipt of rooms import is stored beside the input file if the receipts directory cannot be created', async () => {
    writeFileSync(join(world.dir, 'data'), '')
    expect(await run('rooms import rooms.csv --no-journal')).toMatchObject(done)
    expect(await run('rooms import rooms.csv')).toMatchObject({ code: 0 })
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('3 of 3', journal))
  })

  test('the receipt of rooms import stays beside the input file if some rows fail', async () => {
    world.file('rooms.csv', 'name,type,members\nA,open,\nB,open,nobody\n')
    expect(await run('rooms import rooms.csv')).toMatchObject({ code: 8 })
    expect(receiptNames()).toEqual([])
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('1 of 2', journal))
  })
})

test('users import removes its journal after a complete run and writes no receipt', async () => {
  world.file('users.csv', 'user_id\nada\n')
  expect(await run('users import users.csv')).toMatchObject({ code: 0 })
  expect(world.read(journalOf('users.csv'))).toBeUndefined()
  expect(receiptNames()).toEqual([])
})

test('rooms import --no-receipt keeps the journal of an interrupted run', async () => {
  await world.cutOff('rooms import rooms.csv --no-receipt --concurrency 1')
  expect(entriesOf(world.read(journal))).not.toEqual([])
})

describe('rooms import --match name', () => {
  beforeEach(async () => {
    await world.room('R1')
  })

  test.each([
    ['fail', 8, 'error: imported 2 of 3 rooms; 1 failed\n'],
    ['skip', 0, 'imported 2 of 3 rooms; 1 skipped\n'],
    ['update', 0, 'imported 3 of 3 rooms: created 2, updated 1\n'],
    ['overwrite', 0, 'imported 3 of 3 rooms: created 2, overwrote 1\n'],
  ])(
    'rooms import --match name finds existing rooms by name with --if-exists %s',
    async (what, code, summary) => {
      world.file('rooms.csv', 'name,type,layout\nR1,open,grid\nR2,open,grid\nR3,open,grid\n')
      const ended = await run(`rooms import rooms.csv --match name --if-exists ${what}`)
      expect({ code: ended.code, rooms: await world.rooms() }).toEqual({ code, rooms: roomsOf(3) })
      expect(ended.stderr).toContain(summary)
    },
  )

  test('rooms import --match name fails a row whose name belongs to several rooms, and prints the IDs of the rooms', async () => {
    const one = (await allRooms())[0].id
    const two = await world.room('R1')
    const { code, stderr } = await run('rooms import rooms.csv --match name --if-exists skip')
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr:
        `error: rooms.csv:2 (R1): 2 rooms are named “R1”: ${two}, ${one}\n` +
        'error: imported 2 of 3 rooms; 1 failed\n',
    })
  })

  test('rooms import --match name refuses a file in which two rows have the same name', async () => {
    world.file('rooms.csv', 'name,type\nA,open\nA,private\n')
    expect(await run('rooms import rooms.csv --match name')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: rooms.csv:3: the same name as line 2\n/),
    })
  })

  test('rooms import --match name finds existing rooms if the service ignores the name filter', async () => {
    const rooms = await allRooms()
    world.intercept = async ({ url }, next) =>
      url.includes('name=') ? answer(200, { rooms, paging: { total: rooms.length } }) : next()
    expect(await run('rooms import rooms.csv --match name --if-exists skip')).toMatchObject({
      code: 0,
      stderr: 'imported 2 of 3 rooms; 1 skipped\n',
    })
  })

  test('rooms import --match name requests the full room if lists contain only id, type and name', async () => {
    const [{ id }] = await allRooms()
    world.intercept = async ({ url }, next) =>
      url.includes('name=')
        ? answer(200, { rooms: [{ id, type: 'open', name: 'R1' }], paging: { total: 1 } })
        : next()
    world.file('rooms.csv', 'name,type,record\nR1,open,true\n')
    const { code, stderr } = await run('rooms import rooms.csv --match name --if-exists update')
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 1,
      first: 'error: rooms.csv:2 (R1): its record is false and cannot be changed',
    })
  })

  test('rooms import --match name --if-exists update updates the members of a room in each repeated run', async () => {
    for (const user_id of ['ada', 'grace']) await user(user_id)
    const members = (type: string) =>
      JSON.stringify([{ user_id: 'ada', type }, { user_id: 'grace' }]).replaceAll('"', '""')
    for (const type of ['guest', 'host', 'host']) {
      world.file('rooms.csv', `name,type,members\nR1,open,"${members(type)}"\n`)
      expect(await run('rooms import rooms.csv --match name --if-exists update')).toMatchObject({ code: 0 })
      const [{ id }] = await allRooms()
      expect(await world.members(id)).toEqual([`ada ${type} -`, 'grace guest -'])
    }
  })

  test('rooms import --match name prints the IDs in the file as the keys of the results', async () => {
    world.file('rooms.csv', 'id,name,type\nformer,R1,open\n')
    const { stdout } = await run('rooms import rooms.csv --match name --if-exists skip -o ndjson')
    expect(JSON.parse(stdout)).toMatchObject({ key: 'former', status: 'skipped' })
  })
})

describe('rooms import --if-exists', () => {
  test.each(['skip', 'overwrite', 'update'])(
    'rooms import --if-exists %s is refused for rows without IDs',
    async (what) => {
      expect(await run(`rooms import rooms.csv --if-exists ${what}`)).toMatchObject({
        code: 2,
        stderr:
          `error: --if-exists ${what} needs the id of each row, but 3 of 3 rows have none\n` +
          `hint: match rooms by name with: meetroom rooms import rooms.csv --if-exists ${what} --match name --base-url https://meet.test/v1\n`,
      })
      expect(world.requests).toEqual([])
    },
  )

  test.each(['overwrite', 'update'])(
    'rooms import --if-exists %s fails a row with an unknown ID unless --create-missing is set',
    async (what) => {
      const id = await world.room('Old')
      world.file('rooms.csv', `id,name,type\n${id},New,open\nmistyped,Other,open\n`)
      const line = `rooms import rooms.csv --if-exists ${what}`
      const reason =
        'error: rooms.csv:3 (mistyped): no such room: mistyped (pass --create-missing to create it)\n'
      const verb = what === 'update' ? 'updated' : 'overwrote'
      expect(await run(`${line} --dry-run -o ids`)).toMatchObject({
        code: 8,
        stderr: `${reason}error: would create 0, ${what} 1, skip 0 of 2 rooms; 1 would fail\n`,
      })
      expect(await run(line)).toMatchObject({
        code: 8,
        stderr: `${reason}error: imported 1 of 2 rooms: ${verb} 1; 1 failed\n`,
      })
      expect(await world.rooms()).toEqual(['New'])
      expect(await run(`${line} --create-missing`)).toMatchObject({
        code: 0,
        stderr: `imported 2 of 2 rooms: created 1, ${verb} 1\n`,
      })
      expect(await world.rooms()).toEqual(['New', 'Other'])
    },
  )

  test('rooms import --if-exists update --dry-run fails a row that changes an immutable field', async () => {
    const id = await world.room('Old')
    world.file('rooms.csv', `id,name,type\n${id},New,private\n`)
    expect(await run('rooms import rooms.csv --if-exists update --dry-run -o ids')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('its type is open and cannot be changed'),
    })
  })
})

describe('users import --if-exists', () => {
  beforeEach(async () => {
    const fields = { name: 'Old', email: 'ada@x.test', default_member_type: 'host' }
    await world.send('POST', '/users', { user_id: 'ada', ...fields })
    world.file('people.csv', 'user_id,name\nada,Ada\ngrace,Grace\n')
  })

  test('users import --if-exists update keeps the values of fields that are missing from the row', async () => {
    expect(await run('users import people.csv --if-exists update')).toMatchObject({
      code: 0,
      stderr: 'imported 2 of 2 users: created 1, updated 1\n',
    })
    expect(world.writes().sort()).toEqual(['POST /users', 'PUT /users/ada'])
    expect(await world.user('ada')).toMatchObject({
      name: 'Ada',
      email: 'ada@x.test',
      default_member_type: 'host',
    })
  })

  test('users import --if-exists update --dry-run prints a summary of the planned changes', async () => {
    expect(await run('users import people.csv --if-exists update --dry-run -o ids')).toMatchObject({
      code: 0,
      stderr: 'would create 1, update 1, skip 0 of 2 users; 0 would fail\n',
    })
  })

  test.each(['', ' --dry-run'])(
    'users import --if-exists overwrite%s prints a warning that names the reset fields',
    async (dryRun) => {
      world.file('people.csv', 'user_id,name,email\nada,Ada,\ngrace,Grace,g@navy.test\n')
      const { stderr } = await run(`users import people.csv --if-exists overwrite${dryRun}`)
      expect(stderr.split('\n')[0]).toBe(
        'warning: overwriting a user resets the fields that its row omits: profile_url, default_member_type, email (1 of 2 rows); ' +
          '--if-exists update keeps them',
      )
    },
  )
})
