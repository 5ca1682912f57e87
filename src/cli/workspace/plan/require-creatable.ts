import { toText } from '../../../api/to-text.ts'
import { UsageError } from '../../../errors.ts'
import type { WorkspaceDocument } from '../document/document.ts'
import type { Section } from '../lock/lock.ts'

/**
 * Requires a name that is unique in the file, and a type, for each room without a recorded ID.
 * @throws {UsageError} with file, line and column
 */
export async function requireCreatable(
  { rooms = [], describePlace }: WorkspaceDocument,
  { rooms: locked }: Section,
  recreate: ReadonlySet<string>,
): Promise<void> {
  const keys = new Set(rooms.map(({ key }) => key))
  const unknownKey = [...recreate].find((key) => !keys.has(key))
  if (unknownKey !== undefined)
    throw new UsageError(`--recreate: no room of the file has the key “${unknownKey}”`)
  const counts = new Map<unknown, number>()
  for (const { fields } of rooms) counts.set(fields['name'], (counts.get(fields['name']) ?? 0) + 1)
  for (const [i, { key, fields, creationDefaults }] of rooms.entries()) {
    if (locked.has(key) && !recreate.has(key)) continue
    for (const field of ['name', 'type'])
      if (fields[field] === undefined && creationDefaults?.[field] === undefined)
        throw new UsageError(
          `${await describePlace(['rooms', i])} (${key}) has no ${field}, which a room without an ID in the lock file needs`,
        )
    if ((counts.get(fields['name']) ?? 0) > 1)
      throw new UsageError(
        `${await describePlace(['rooms', i])} (${key}): another room of the file is also named “${toText(fields['name'])}”`,
        { hint: 'names of rooms that have no ID in the lock file yet must be unique' },
      )
  }
}
