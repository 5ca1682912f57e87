import type { Store } from './store.ts'

/** Maximum number of rows for which sorting is faster than creating or reading an index. */
export const maxRowsToSort = 5000

/** Indexed columns by the name of the index. Filters of rooms are evaluated in the index. */
const orderIndexes = {
  rooms_by_creation: 'rooms (created_at, seq, layout, terminated_at)',
  users_by_creation: 'users (created_at)',
  members_by_creation: 'members (room_id, created_at)',
  sessions_by_connection: 'sessions (room_id, connected_at)',
  pages_by_creation: 'pages (room_id, created_at)',
}

export type OrderIndex = keyof typeof orderIndexes

export const orderIndexStatements = Object.entries(orderIndexes).map(
  ([name, on]) => `CREATE INDEX ${name} ON ${on}`,
)

/** Creates the index of a long sorted list unless it exists. With it, creating a user takes 13 % longer. */
export async function ensureOrderIndex(store: Store, name: OrderIndex): Promise<void> {
  if (store.one(`SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?`, name)) return
  await store.write(() => store.define(`CREATE INDEX IF NOT EXISTS ${name} ON ${orderIndexes[name]}`))
}
