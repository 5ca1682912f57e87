import type { Store } from './store.ts'

/** Rows that are counted together: see steps/counts.ts. */
export const blockRows = 1024

const columns = { users: 'block', rooms: 'layout, terminated, block' } as const
const kinds = { users: 'user', rooms: 'room' } as const

/**
 * Inside `store.write`: counts the rows of the blocks that are full.
 * @param before the first `seq` of a block: what comes before it is counted
 */
export function countBlocks(store: Store, table: 'users' | 'rooms', before: number): void {
  const kind = kinds[table]
  store.run(
    `INSERT INTO ${kind}_counts SELECT ${columns[table]}, count(*) FROM ${kind}_places
       WHERE seq >= (SELECT ${table}_counted FROM workspace) AND seq < ? GROUP BY ${columns[table]}
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    before,
  )
  store.run(`UPDATE workspace SET ${table}_counted = ?`, before)
}
