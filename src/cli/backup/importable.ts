import { readJson } from '../../api/json.ts'
import { createRooms } from '../bulk/adapters/rooms.ts'
import { createUsers } from '../bulk/adapters/users.ts'
import { createRowReader } from '../bulk/read/reader.ts'
import type { Item } from '../output/views/views.ts'
import type { DeletionTargets } from '../requests/backup.ts'

const kinds = { rooms: () => createRooms({}), users: () => createUsers({ ifExists: 'fail' }) }

/**
 * Creates the function that checks saved records as an import does.
 * @returns gives the reason why an import would refuse a line; undefined when it would take it
 */
export async function createImportCheck(
  kind: DeletionTargets['kind'],
): Promise<(line: string) => string | undefined> {
  const reader = await createRowReader(kinds[kind](), {
    format: 'ndjson',
    renames: new Map(),
    defaults: {},
    roomIds: undefined,
    ignoreUnknown: false,
    memberColumns: [],
  })
  return (line) => {
    const reading = reader.read(readJson(line) as Item)
    return 'problem' in reading ? reading.problem : undefined
  }
}
