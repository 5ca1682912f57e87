import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endpoints } from '../../../src/api/endpoints.ts'
import { storedValues } from '../../../src/embedded/backups/stored-values.ts'
import { listColumns } from '../../../src/embedded/store/contents.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { MeetroomError } from '../../../src/errors.ts'
import { openTestWorkspace } from '../../helpers/wire.ts'
import { createWorld, tempDir } from '../../helpers/world.ts'

const quietly = <T>(load: () => Promise<T>) => load()
const openFile = (dir: string) => openSqlite(join(dir, 'workspace.db'), quietly)
const notUtf8 = `CAST(x'61ff62' AS TEXT)`

async function createFilled() {
  const dir = tempDir()
  const { send, close } = await openTestWorkspace(dir)
  await send('POST', '/users', { user_id: 'ada' })
  const body = { name: 'R', type: 'private', members: [{ user_id: 'ada' }] }
  const { id } = (await send('POST', '/rooms', body)).body.room
  const memberId = (await send('GET', `/rooms/${id}/members`)).body.members[0]?.id ?? ''
  close()
  const db = await openFile(dir)
  db.exec(`INSERT INTO sessions (id, room_id, member_id, type, connected_at) VALUES ('s', '${id}', '${memberId}', 'guest', 1);
    INSERT INTO pages (id, room_id, position, entities, created_at) VALUES ('p', '${id}', 0, '[]', 1);
    INSERT INTO deliveries (id, room_id, target, body, created_at)
      VALUES ('d', '${id}', '{"url":"https://example.com"}', '{"action":"sessionJoined","payload":{}}', ${Date.now()})`)
  const texts: [table: string, column: string][] = []
  for (const table of Object.keys(storedValues))
    for (const column of listColumns(db, table)) {
      const { type } = db
        .prepare('SELECT type FROM pragma_table_info(?) WHERE name = ?')
        .get(table, column) as {
        type: string
      }
      if (type === 'TEXT') texts.push([table, column])
    }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const values: Record<string, string> = { id, room_id: id, member_id: memberId, user_id: 'ada' }
  const paths = Object.values(endpoints)
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? ''))
  return { dir, texts, paths }
}

/** Columns that select rows. */
const keys = ['rooms.id', 'users.user_id', 'members.id', 'members.room_id']
/** Columns that no response shows. */
const hidden = /^(packed_moves|sweeps|ended_sessions|(members|sessions|pages)\.room_id)/

test('invalid UTF-8 in a column that responses show causes a 503 response or a MeetroomError', async () => {
  const { dir, texts, paths } = await createFilled()
  const damaged: string[] = []
  for (const [table, column] of texts) {
    const copy = tempDir()
    for (const file of ['workspace.db', 'api-key']) copyFileSync(join(dir, file), join(copy, file))
    const db = await openFile(copy)
    db.exec(`PRAGMA foreign_keys = OFF; UPDATE ${table} SET ${column} = ${notUtf8}`)
    db.close()
    try {
      const { send, close } = await openTestWorkspace(copy)
      const statuses = await Promise.all(paths.map(async (path) => (await send('GET', path)).status))
      const name = `${table}.${column}`
      if (statuses.includes(503)) damaged.push(name)
      const others = statuses.filter((status) => status !== 200 && status !== 503)
      expect([name, new Set(others)]).toEqual([name, new Set(keys.includes(name) ? [400] : [])])
      close()
    } catch (error) {
      expect(error).toBeInstanceOf(MeetroomError)
      damaged.push(`${table}.${column}`)
    }
  }
  const names = texts.map((name) => name.join('.'))
  expect(damaged).toEqual(names.filter((name) => !hidden.test(name)))
})

test('rooms list and rooms get exit 74 if a room name in the database is invalid UTF-8', async () => {
  const world = await createWorld()
  const { stdout: room } = await world.run('--local rooms create --name Good --type open -o ids')
  await world.run('local backup good.db')
  const db = await openFile(join(world.dir, 'data'))
  db.exec(`UPDATE rooms SET name = ${notUtf8}`)
  db.close()
  const path = join(world.dir, 'data/workspace.db')
  const command = `meetroom local restore FILE --data-dir ${join(world.dir, 'data')}`
  const stderr = `error: the database ${path} is damaged\nhint: restore a backup with: ${command}\n`
  for (const argv of ['rooms list', 'rooms list --all -o csv', `rooms get ${room.trim()}`])
    expect(await world.run(`--local ${argv}`)).toMatchObject({ code: 74, stdout: '', stderr })
  expect((await world.run('--local doctor')).stdout).toMatch(
    /database +the database \S+ is damaged: row 1 of the table rooms has an invalid name/,
  )
  expect((await world.run('local restore good.db --yes')).code).toBe(0)
  expect((await world.run('--local rooms list -o csv')).stdout).toContain('Good')
})
