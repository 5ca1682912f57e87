import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorkspace } from '../../src/embedded/workspace.ts'

export type Store = Awaited<ReturnType<typeof openWorkspace>>['store']

/** Start of a statement that inserts rows for the numbers `i` of a range. */
export const numbers = 'WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)'
const insertUsers = `${numbers}
  INSERT INTO users (id, user_id, name, default_member_type, email, access_token, created_at, updated_at)
  SELECT printf('%024x', i), 'user-' || i, 'User ' || i, 'guest', 'user' || i || '@example.com', 't' || i, i, i FROM n`
const insertRooms = `${numbers}
  INSERT INTO rooms (id, type, name, layout, record, terminated_at, created_at, updated_at)
  SELECT printf('%024x', i), 'open', 'Room ' || (i % 200), CASE i % 10 WHEN 0 THEN 'grid' ELSE 'default' END, 0,
    CASE WHEN i % 4 = 1 THEN i END, i, i FROM n`

export const roomId = (i: number) => i.toString(16).padStart(24, '0')

/** Creates a workspace with `count` users and `count` rooms, and with the rows of `addMore`. */
export async function fill(
  count: number,
  addMore?: (store: Store, count: number) => Promise<void>,
): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'meetroom-bench-'))
  const host = { now: () => Date.now(), quietly: <T>(load: () => Promise<T>) => load() }
  const { store, close } = await openWorkspace({ dir, host })
  for (let i = 1; i <= count; i += 10_000)
    await store.write(() => {
      for (const insert of [insertUsers, insertRooms]) store.run(insert, i, Math.min(i + 9999, count))
    })
  await addMore?.(store, count)
  close()
  return dir
}
