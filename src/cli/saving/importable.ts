import { readJson } from '../../api/json.ts'
import { createReader } from '../bulk/input/reader.ts'
import { createRooms } from '../bulk/kinds/rooms.ts'
import { createUsers } from '../bulk/kinds/users.ts'
import type { Item } from '../output/views.ts'
import type { Doomed } from './saving.ts'

const kinds = { rooms: () => createRooms({}), users: () => createUsers({ ifExists: 'fail' }) }

/**
 * Creates the function that checks saved records as an import does.
 * @returns gives the reason why an import would refuse a line; undefined when it would take it
 */
export async function createImportCheck(kind: Doomed['kind']): Promise<(line: string) => string | undefined> {
  const reader = await createReader(kinds[kind](), {
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
