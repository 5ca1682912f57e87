import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { storedValues } from '../../src/embedded/backups/stored-values.ts'
import { migrations } from '../../src/embedded/store/schema.ts'
import { createEmpty } from '../../src/embedded/store/schema-check.ts'
import { loadSqlite, openReadOnly, openSqlite } from '../../src/embedded/store/sqlite.ts'
import { serveWorkspace } from '../helpers/live.ts'
import { lookupIn } from '../helpers/lookup.ts'
import { createWorld, type World } from '../helpers/world.ts'
import { counted, sized } from './size.ts'

const { add } = counted('hostile (backups)')
const quietly = <T>(load: () => Promise<T>) => load()
const later = 1_800_000_000_000

/** Statements after which every table that a restore copies has a row. */
const rows = `
  UPDATE rooms SET webhook = '{"url":"https://example.com/hook","headers":{"x-team":"ops"}}';
  INSERT INTO sessions (id, room_id, member_id, type, connected_at) SELECT 's1', id, 'm1', 'guest', 1 FROM rooms;
  INSERT INTO pages (id, room_id, position, width, height, entities, created_at)
    SELECT 'p1', id, 0, 1.5, 2, '[{"type":"Image","src":"https://example.com/a.png"}]', 1 FROM rooms;
  INSERT INTO deliveries (id, room_id, target, body, created_at) SELECT 'd1', id, webhook,
    '{"action":"sessionJoined","payload":{"roomId":"r"}}', ${later} FROM rooms;
  INSERT INTO packed_moves (room_id, target, moves) SELECT id, webhook, '[]' FROM rooms;
  INSERT INTO sweeps VALUES ('user', 'gone');
  INSERT INTO ended_sessions (seq, at) VALUES (99, 1);
  INSERT INTO ended_members VALUES (99);
`

let world: World
/** Initial directory of each test; undefined before the first test. */
let template: string | undefined
afterAll(() => template !== undefined && rmSync(template, { recursive: true }))
beforeEach(async () => {
  world = await createWorld()
  if (template !== undefined) return cpSync(template, world.dir, { recursive: true })
  await world.run('--local rooms create --name Old --type open')
  await world.run('--local users create ada')
  const { stdout } = await world.run('--local rooms list -o ids')
  await world.run(`--local members add ${stdout.trim()} ada`)
  await world.run('local backup honest.db')
  await edit('honest.db', rows)
  template = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
  cpSync(world.dir, template, { recursive: true })
}, 60_000)

async function edit(name: string, sql: string): Promise<void> {
  const db = await openSqlite(join(world.dir, name), quietly)
  db.exec('PRAGMA foreign_keys = OFF')
  db.exec(sql)
  db.close()
}

/** Statements that remove STRICT from all tables. */
const loosen = `PRAGMA writable_schema = ON;
  UPDATE sqlite_master SET sql = replace(replace(sql, ' STRICT, WITHOUT', ' WITHOUT'), ') STRICT', ')');
  PRAGMA schema_version = 9000`

/** Restores a changed copy of the backup, and expects a working workspace or no change. */
async function restoreChanged(...edits: string[]) {
  copyFileSync(join(world.dir, 'honest.db'), join(world.dir, 'hostile.db'))
  for (const sql of edits) await edit('hostile.db', sql)
  add('restored backups')
  await world.run('--local rooms create --name Kept --type open')
  const files = () => readdirSync(world.dir).filter((name) => !/-(shm|wal)$/.test(name))
  const before = files()
  const run = await world.run('local restore hostile.db --yes')
  expect([0, 2], run.stderr).toContain(run.code)
  expect(files()).toEqual(before)
  expect(readdirSync(join(world.dir, 'data')).filter((name) => name.endsWith('.part'))).toEqual([])
  const names = (await world.run('--local rooms list -o csv --columns name --sort name')).stdout
  if (run.code === 2) {
    expect(run.stderr).toMatch(/^error: .*(is damaged|is not a backup of a workspace)/)
    expect(names).toContain('Kept')
  } else {
    expect(names).not.toContain('Kept')
    await expectWorking()
  }
  return run
}

async function expectWorking(): Promise<void> {
  const done = async (line: string) => {
    const run = await world.run(line)
    expect(run, line).toMatchObject({ code: 0 })
    return run.stdout
  }
  const id = (await done('--local rooms create --name New --type private -o ids')).trim()
  // Without “id:”, the program refuses IDs that look like JSON.
  for (const each of (await done('--local rooms list -o ids')).trim().split('\n'))
    for (const line of [
      `members list id:${each}`,
      `sessions list id:${each}`,
      `pages list id:${each}`,
      `rooms get id:${each}`,
    ])
      await done(`--local ${line} --json`)
  await done('--local users list --email example --json')
  await done('--local webhooks deliveries --json')
  await done('--local users create grace')
  await done(`--local members add ${id} grace`)
  await done(`--local rooms delete ${id} --yes`)
  await done('--local users delete grace --yes')
}

describe('schemas of backups', () => {
  test.each<[string, string | (() => string), number, RegExp]>([
    [
      'statements after the statement of a table',
      () =>
        `PRAGMA writable_schema = ON; UPDATE sqlite_master
          SET sql = sql || '; ATTACH ''${join(world.dir, 'evil.db')}'' AS e; CREATE TABLE e.x (y)' WHERE name = 'rooms'`,
      0,
      /^$/,
    ],
    [
      'triggers that keep rooms, choose tokens and add webhooks',
      `CREATE TRIGGER keep BEFORE DELETE ON rooms BEGIN SELECT raise(IGNORE); END;
          CREATE TRIGGER token AFTER INSERT ON users BEGIN UPDATE users SET access_token = 'mine' || seq; END;
          CREATE TRIGGER hook AFTER INSERT ON rooms BEGIN UPDATE rooms SET webhook = '{"url":"https://evil.test"}'; END`,
      0,
      /^$/,
    ],
    [
      'an infinite view',
      `DROP VIEW present_members; CREATE VIEW present_members AS
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n, members`,
      0,
      /^$/,
    ],
    ['a virtual table', 'CREATE VIRTUAL TABLE v USING fts5 (a)', 2, /it has the unknown table v_/],
    [
      'a table replaced by a view',
      'DROP TABLE pages; CREATE VIEW pages AS SELECT 1 AS id',
      2,
      /no table pages/,
    ],
    [
      'a computed column',
      'ALTER TABLE users DROP COLUMN name; ALTER TABLE users ADD COLUMN name TEXT AS (user_id) VIRTUAL',
      2,
      /its table users has unexpected columns/,
    ],
    ['a foreign table', 'CREATE TABLE x (y)', 2, /it has the unknown table x/],
    ['a missing table', 'DROP TABLE sweeps', 2, /it has no table sweeps/],
    ['a foreign column', 'ALTER TABLE rooms ADD COLUMN x TEXT', 2, /its table rooms has unexpected columns/],
    [
      'a missing column',
      'ALTER TABLE sessions DROP COLUMN type',
      2,
      /its table sessions has unexpected columns/,
    ],
    ['a negative schema version', 'PRAGMA user_version = -1', 2, /its schema version is -1/],
    ['the schema version 0', 'PRAGMA user_version = 0', 2, /its schema version is 0/],
    [
      'a schema version that is too old',
      'PRAGMA user_version = 2',
      2,
      /is not a backup of a workspace: it has/,
    ],
    ['the ID of another program', 'PRAGMA application_id = 7', 2, /another program/],
    ['two workspace rows', 'INSERT INTO workspace SELECT * FROM workspace', 2, /2 rows instead of 1/],
    ['no workspace row', 'DELETE FROM workspace', 2, /0 rows instead of 1/],
  ])(
    'local restore refuses a backup with %s or restores only its rows',
    async (_name, sql, code, message) => {
      const run = await restoreChanged(typeof sql === 'string' ? sql : sql())
      expect(run.code, run.stderr).toBe(code)
      expect(run.stderr).toMatch(message)
    },
  )
})

test('local restore refuses a backup with duplicate room IDs', async () => {
  const { stderr } = await restoreChanged(
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_master SET sql = replace(sql, ' UNIQUE', '') WHERE name = 'rooms';
     DELETE FROM sqlite_master WHERE name = 'sqlite_autoindex_rooms_1';
     PRAGMA schema_version = 9000`,
    `INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at)
       SELECT id, type, name, layout, record, created_at, updated_at FROM rooms`,
    // Without VACUUM, the page of the deleted index would also count as damage.
    'VACUUM',
  )
  expect(stderr).toMatch(/hostile\.db is damaged: UNIQUE constraint failed: rooms\.id\n$/)
})

test('each column of the database has a rule for restored values', async () => {
  const db = createEmpty(await loadSqlite(quietly), migrations.length)
  const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as { name: string }[]
  const missing = tables.flatMap(({ name: table }) => {
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]
    return columns.filter(({ name }) => !storedValues[table]?.[name]).map(({ name }) => `${table}.${name}`)
  })
  db.close()
  expect(missing).toEqual([])
})

test('openReadOnly rejects writes to a backup', async () => {
  const db = openReadOnly(await loadSqlite(quietly), join(world.dir, 'honest.db'))
  for (const sql of ['DELETE FROM rooms', 'CREATE TABLE x (y)', 'PRAGMA user_version = 3', 'VACUUM'])
    expect(() => db.exec(sql), sql).toThrow(/readonly|read-only/)
  db.close()
})

const values: readonly string[] = [
  `x'00ff'`,
  `'text'`,
  `''`,
  'NULL',
  '-1',
  '0',
  '0.5',
  '9e999',
  '1e300',
  '4611686018427387904',
  '9223372036854775807',
  '9007199254740993',
  '253402300800000',
  `'{}'`,
  `'[1,{"type":7},{"type":"Image","src":"javascript:alert(1)"}]'`,
  `'{"__proto__":{"a":1},"id":"x"}'`,
  `'{"url":"https://a.test","headers":{"content-length":"5","x\ny":"z"}}'`,
  `'{"url":"file:///etc/passwd"}'`,
  `replace(hex(zeroblob(5000)), '0', '[')`,
  `replace(hex(zeroblob(40000)), '00', 'long')`,
  `'a' || char(0) || 'b'`,
  `'\u202e\u001b]0;x\u0007'`,
]

describe('values in backups', () => {
  const columns = Object.entries(storedValues).flatMap(([table, rules]) =>
    Object.keys(rules).map((column) => [table, column] as const),
  )
  const all = columns.flatMap(([table, column]) => values.map((value) => [table, column, value] as const))
  const step = sized(526, 1)
  test.each(all.filter((_, i) => i % step === 0))(
    'local restore stores no unreadable value if %s.%s of the backup is %s',
    async (table, column, value) => {
      // SQLite itself rejects other types in an integer primary key.
      const key = column === 'seq' ? `AND typeof(${value}) = 'integer'` : ''
      await restoreChanged(loosen, `UPDATE OR IGNORE ${table} SET ${column} = ${value} WHERE true ${key}`)
    },
  )
})

test('local restore omits invalid values and prints the number of changed rows', async () => {
  const run = await restoreChanged(`
    UPDATE rooms SET webhook = '{"url":"https://a.test/","headers":{"x-team":"ops","bad name":"1"},"secret":"s"}';
    UPDATE pages SET entities = '[{"type":"Image"},{"type":"Note","text":"kept"}]';
    UPDATE users SET unlisted = '[]'`)
  expect(run).toMatchObject({ code: 0 })
  expect(run.stderr).toContain('warning: changed or omitted 3 rows of the backup')
  const db = await openSqlite(join(world.dir, 'data/workspace.db'), quietly)
  const read = (sql: string) => Object.values(db.prepare(sql).get() as object)[0]
  expect(read(`SELECT webhook FROM rooms WHERE name = 'Old'`)).toBe(
    '{"url":"https://a.test/","secret":"s","headers":{"x-team":"ops"}}',
  )
  expect(read('SELECT entities FROM pages')).toBe('[{"type":"Note","text":"kept"}]')
  expect(read('SELECT unlisted FROM users')).toBe(null)
  db.close()
})

test('local restore refuses invalid UTF-8 and a text of 20 MB', async () => {
  for (const value of [
    `CAST(x'61ff62' AS TEXT)`,
    `CAST(x'eda080' AS TEXT)`,
    `printf('%.*c', 20000000, 'x')`,
  ]) {
    const { code, stderr } = await restoreChanged(`UPDATE users SET name = ${value}`)
    expect(stderr).toMatch(/is damaged: row 1 of the table users has an invalid name\n$/)
    expect(code).toBe(2)
  }
})

describe('restored maximum numbers', () => {
  const totals = ['attempts', 'redeliveries', 'round_start'].map((name) => `${name} = ${2 ** 53 - 1}`)

  test('a restored backup with maximum numbers can be backed up and restored again', async () => {
    const run = await restoreChanged(
      `UPDATE rooms SET meeting_ms = ${2 ** 53 - 2}, meeting_from_ms = ${2 ** 53 - 1}, seq = ${2 ** 52};
       UPDATE deliveries SET ${totals}, seq = ${2 ** 52};
       UPDATE users SET seq = ${2 ** 40}; UPDATE members SET seq = ${2 ** 40 + 1};
       UPDATE pages SET position = ${2 ** 53 - 1}, seq = ${2 ** 52};
       UPDATE sqlite_sequence SET seq = ${2 ** 52}`,
    )
    expect(run, run.stderr).toMatchObject({ code: 0 })
    const { lookup } = lookupIn({ 'example.com': [['127.0.0.1']] })
    const served = await serveWorkspace({ dir: join(world.dir, 'data'), lookup })
    const { rooms } = await served.ask('GET', '/rooms')
    const { id, meeting_time } = rooms.find(({ name }: { name: string }) => name === 'Old')
    expect(meeting_time).toBe(Math.floor(2 ** 52 / 1000))
    for (const _ of [1, 2]) await served.join(id)
    await served.advance(3000)
    await served.ask('POST', `/rooms/${id}/pages/create_many`, [{ entities: [] }, { entities: [] }])
    expect((await served.getRoom(id)).meeting_time).toBe(meeting_time)
    await served.stop()
    expect(await world.run('local backup again.db')).toMatchObject({ code: 0 })
    const again = await world.run('local restore again.db --yes')
    expect(again, again.stderr).toMatchObject({ code: 0 })
    await expectWorking()
  })
})

describe('rows that no restore accepts', () => {
  test.each([
    ['a negative total', 'UPDATE rooms SET meeting_ms = -1', 'rooms has an invalid meeting_ms'],
    ['an inexact integer', `UPDATE rooms SET created_at = ${2n ** 60n}`, 'rooms has an invalid created_at'],
    [
      'an unknown type',
      `UPDATE users SET default_member_type = 'king'`,
      'users has an invalid default_member_type',
    ],
  ])('local backup exits 74 if a row contains %s', async (_name, sql, message) => {
    const before = readFileSync(join(world.dir, 'honest.db'))
    await edit('data/workspace.db', sql)
    expect(await world.run('local backup honest.db --overwrite')).toMatchObject({
      code: 74,
      stdout: '',
      stderr:
        `error: the database ${join(world.dir, 'data/workspace.db')} is damaged: row 1 of the table ${message}\n` +
        `hint: restore a backup with: meetroom local restore FILE --data-dir ${join(world.dir, 'data')}\n`,
    })
    expect(readFileSync(join(world.dir, 'honest.db')).equals(before)).toBe(true)
    expect((await world.run('doctor --local')).stdout).toContain(`row 1 of the table ${message}`)
  })
})
