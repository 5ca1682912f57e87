import { readJson } from '../../api/json.ts'
import { createRooms } from '../import/adapters/rooms.ts'
import { createUsers } from '../import/adapters/users.ts'
import { createRowReader } from '../import/read/reader.ts'
import type { Item } from '../output/views/views.ts'
import type { DeletionTargets } from '../requests/backup.ts'

const adapters = { rooms: () => createRooms({}), users: () => createUsers({ ifExists: 'fail' }) }

export async function createImportCheck(
  kind: DeletionTargets['kind'],
): Promise<(line: string) => string | undefined> {
  const reader = await createRowReader(adapters[kind](), {
    format: 'ndjson',
    renames: new Map(),
    defaults: {},
    roomIds: undefined,
    ignoreUnknown: false,
    memberColumns: [],
  })
  return (line) => reader.read(readJson(line) as Item).problem
}
