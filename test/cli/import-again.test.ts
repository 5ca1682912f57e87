import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld, entriesOf, type ImportWorld, roomsCsv, roomsOf } from '../helpers/imports.ts'
import { answer } from '../helpers/world.ts'

let world: ImportWorld
beforeEach(async () => {
  world = await createImportWorld()
  world.file('rooms.csv', roomsCsv(3))
})

const run = (line: string) => world.run(line)
const allRooms = async () => (await world.send('GET', '/rooms?limit=1000')).body.rooms
const done = { code: 0, stdout: '', stderr: 'imported 3 of 3 rooms\n' }
const receipts = () => join(world.dir, 'data', 'receipts')
/** Names of the receipts of finished imports. */
const kept = () => (existsSync(receipts()) ? readdirSync(receipts()) : [])
const refused = (known: string, journal = `receipt ${join(receipts(), kept()[0] ?? '')}`) => ({
  code: 2,
  stdout: '',
  stderr:
    `error: ${known} rows were imported before (${journal}), and their rooms exist\n` +
    'hint: pass --match name --if-exists skip to create only what is missing, or --again to create them all again\n',
})

describe('rooms import run again', () => {
  beforeEach(async () => {
    expect(await run('rooms import rooms.csv')).toMatchObject(done)
  })

  test('creates nothing, says how many rows it knows, and what to do', async () => {
    world.requests.length = 0
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('3 of 3'))
    expect(await run('rooms import rooms.csv --dry-run')).toMatchObject(refused('3 of 3'))
    expect(world.writes()).toEqual([])
    // One look is enough.
    expect(world.sent()).toHaveLength(2)
    expect(await world.rooms()).toEqual(roomsOf(3))
  })

  test('knows rows in a file that has changed, whatever the order of its columns', async () => {
    world.file('rooms.csv', 'type,name\nopen,New\nopen,R3\nopen,R1\n')
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('2 of 3'))
  })

  test('finds that one of the rooms still exists', async () => {
    const [, ...others] = await allRooms()
    for (const { id } of others) await world.send('DELETE', `/rooms/${id}`)
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('3 of 3'))
  })

  test('imports again, and says so, when the rooms are gone', async () => {
    for (const { id } of await allRooms()) await world.send('DELETE', `/rooms/${id}`)
    expect(await run('rooms import rooms.csv')).toMatchObject({
      ...done,
      stderr:
        `3 of 3 rows were imported before (receipt ${join(receipts(), kept()[0] ?? '')}), but their rooms are gone; they are imported again\n` +
        done.stderr,
    })
    expect(await world.rooms()).toEqual(roomsOf(3))
  })

  test('imports again with --again', async () => {
    expect(await run('rooms import rooms.csv --again')).toMatchObject(done)
    expect(await world.rooms()).toHaveLength(6)
  })

  test('imports into another service', async () => {
    const other = { env: { MEETROOM_BASE_URL: 'https://other.test/v1' } }
    expect(await world.run('rooms import rooms.csv', other)).toMatchObject(done)
  })

  test('creates only what is missing with --match name --if-exists skip', async () => {
    world.file('rooms.csv', roomsCsv(4))
    expect(await run('rooms import rooms.csv --match name --if-exists skip')).toMatchObject({
      code: 0,
      stderr: 'imported 1 of 4 rooms; 3 skipped\n',
    })
    expect(await world.rooms()).toEqual(roomsOf(4))
  })
})

test('--no-receipt leaves no finished journal behind', async () => {
  expect(await run('rooms import rooms.csv --no-receipt')).toMatchObject(done)
  expect(world.read('rooms.csv.journal')).toBeUndefined()
  expect(kept()).toEqual([])
})

describe('the receipt of rooms import', () => {
  test('is in the directory of the local workspace, for this user alone, and nothing is left beside the file', async () => {
    expect(await run('rooms import rooms.csv')).toMatchObject(done)
    expect(world.read('rooms.csv.journal')).toBeUndefined()
    expect(kept()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.journal$/)])
    expect(statSync(receipts()).mode & 0o777).toBe(0o700)
    expect(statSync(join(receipts(), kept()[0] ?? '')).mode & 0o777).toBe(0o600)
  })

  test('is the journal that --journal names', async () => {
    expect(await run('rooms import rooms.csv --journal my.journal')).toMatchObject(done)
    expect(kept()).toEqual([])
    expect(await run('rooms import rooms.csv --journal my.journal')).toMatchObject(
      refused('3 of 3', 'my.journal'),
    )
  })

  test('of an earlier version is honoured beside the file', async () => {
    expect(await run('rooms import rooms.csv')).toMatchObject(done)
    renameSync(join(receipts(), kept()[0] ?? ''), world.path('rooms.csv.journal'))
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('3 of 3', 'rooms.csv.journal'))
    expect(await run('rooms import rooms.csv --shard 1/2')).toMatchObject({ code: 2 })
    expect(await world.rooms()).toEqual(roomsOf(3))
  })

  test('stays beside the file where no directory can be made for it', async () => {
    writeFileSync(join(world.dir, 'data'), '')
    expect(await run('rooms import rooms.csv')).toMatchObject(done)
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('3 of 3', 'rooms.csv.journal'))
  })

  test('stays beside the file while rows have failed', async () => {
    world.file('rooms.csv', 'name,type,members\nA,open,\nB,open,nobody\n')
    expect(await run('rooms import rooms.csv')).toMatchObject({ code: 8 })
    expect(kept()).toEqual([])
    expect(await run('rooms import rooms.csv')).toMatchObject(refused('1 of 2', 'rooms.csv.journal'))
  })
})

test('users import leaves neither a journal nor a receipt behind', async () => {
  world.file('users.csv', 'user_id\nada\n')
  expect(await run('users import users.csv')).toMatchObject({ code: 0 })
  expect(world.read('users.csv.journal')).toBeUndefined()
  expect(kept()).toEqual([])
})

test('--no-receipt keeps the journal of a run that was cut off', async () => {
  await world.cutOff('rooms import rooms.csv --no-receipt --concurrency 1')
  expect(entriesOf(world.read('rooms.csv.journal'))).not.toEqual([])
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
  ])('recognises rooms by their name, with --if-exists %s', async (what, code, summary) => {
    world.file('rooms.csv', 'name,type,layout\nR1,open,grid\nR2,open,grid\nR3,open,grid\n')
    const ended = await run(`rooms import rooms.csv --match name --if-exists ${what}`)
    expect({ code: ended.code, rooms: await world.rooms() }).toEqual({ code, rooms: roomsOf(3) })
    expect(ended.stderr.endsWith(summary)).toBe(true)
  })

  test('refuses rows whose name several rooms have, and names their ids', async () => {
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

  test('refuses a file with a name twice', async () => {
    world.file('rooms.csv', 'name,type\nA,open\nA,open\n')
    expect(await run('rooms import rooms.csv --match name')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: rooms.csv:3: the same name as line 2\n/),
    })
  })

  test('recognises rooms where the service ignores the filter by name', async () => {
    const rooms = await allRooms()
    world.intercept = async ({ url }, next) =>
      url.includes('name=') ? answer(200, { rooms, paging: { total: rooms.length } }) : next()
    expect(await run('rooms import rooms.csv --match name --if-exists skip')).toMatchObject({
      code: 0,
      stderr: 'imported 2 of 3 rooms; 1 skipped\n',
    })
  })

  test('compares with the full room where the list carries only id, type and name', async () => {
    const [{ id }] = await allRooms()
    world.intercept = async ({ url }, next) =>
      url.includes('name=')
        ? answer(200, { rooms: [{ id, type: 'open', name: 'R1' }], paging: { total: 1 } })
        : next()
    world.file('rooms.csv', 'name,type,record\nR1,open,true\n')
    const { code, stderr } = await run('rooms import rooms.csv --match name --if-exists update')
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 1,
      first: 'error: rooms.csv:2 (R1): its record is false, which cannot be changed',
    })
  })

  test('brings the members of a room up to date, and may be run twice', async () => {
    for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
    const members = (type: string) =>
      JSON.stringify([{ user_id: 'ada', type }, { user_id: 'grace' }]).replaceAll('"', '""')
    for (const type of ['guest', 'host', 'host']) {
      world.file('rooms.csv', `name,type,members\nR1,open,"${members(type)}"\n`)
      expect(await run('rooms import rooms.csv --match name --if-exists update')).toMatchObject({ code: 0 })
      const [{ id }] = await allRooms()
      expect(await world.members(id)).toEqual([`ada ${type} -`, 'grace guest -'])
    }
  })

  test('keeps the ids of an export as keys of the results', async () => {
    world.file('rooms.csv', 'id,name,type\nformer,R1,open\n')
    const { stdout } = await run('rooms import rooms.csv --match name --if-exists skip -o ndjson')
    expect(JSON.parse(stdout)).toMatchObject({ key: 'former', status: 'skipped' })
  })
})

describe('rooms import --if-exists', () => {
  test.each(['skip', 'overwrite', 'update'])('%s is refused without a key', async (what) => {
    expect(await run(`rooms import rooms.csv --if-exists ${what}`)).toMatchObject({
      code: 2,
      stderr:
        `error: --if-exists ${what} needs to know which rooms exist, and 3 of 3 rows have no id\n` +
        'hint: pass --match name to recognise rooms by their name\n',
    })
    expect(world.requests).toEqual([])
  })

  test.each(['overwrite', 'update'])('%s fails for an id that does not exist', async (what) => {
    const id = await world.room('Old')
    world.file('rooms.csv', `id,name,type\n${id},New,open\nmistyped,Other,open\n`)
    const line = `rooms import rooms.csv --if-exists ${what}`
    const reason = 'error: rooms.csv:3 (mistyped): no such room: mistyped (--create-missing creates it)\n'
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
  })

  test('update foresees in a dry run what cannot be changed', async () => {
    const id = await world.room('Old')
    world.file('rooms.csv', `id,name,type\n${id},New,private\n`)
    expect(await run('rooms import rooms.csv --if-exists update --dry-run -o ids')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('its type is open, which cannot be changed'),
    })
  })
})

describe('users import --if-exists', () => {
  beforeEach(async () => {
    const fields = { name: 'Old', email: 'ada@x.test', default_member_type: 'host' }
    await world.send('POST', '/users', { user_id: 'ada', ...fields })
    world.file('people.csv', 'user_id,name\nada,Ada\ngrace,Grace\n')
  })

  test('update keeps what the row leaves out', async () => {
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

  test('update says in a dry run what it would do', async () => {
    expect(await run('users import people.csv --if-exists update --dry-run -o ids')).toMatchObject({
      code: 0,
      stderr: 'would create 1, update 1, skip 0 of 2 users; 0 would fail\n',
    })
  })

  test.each(['', ' --dry-run'])('overwrite names the fields that it resets%s', async (dryRun) => {
    world.file('people.csv', 'user_id,name,email\nada,Ada,\ngrace,Grace,g@navy.test\n')
    const { stderr } = await run(`users import people.csv --if-exists overwrite${dryRun}`)
    expect(stderr.split('\n')[0]).toBe(
      'warning: what a row leaves out is reset where the user exists: profile_url, default_member_type, email (1 of 2 rows); ' +
        '--if-exists update keeps it',
    )
  })
})
