import { UsageError } from '../../../errors.ts'
import { fillPlaceholders, listPlaceholders } from '../../input/placeholders.ts'
import type { Context } from '../../kernel/context.ts'
import { readRows } from './rows.ts'
import { openSource } from './source.ts'

/**
 * Parses `--map` values such as `Full name=name` and `{First} {Last}=name`, splitting at the last `=`.
 * @throws {UsageError} for a malformed value
 */
export function parseMap(pairs: readonly string[]): Map<string, string> {
  return new Map(
    pairs.map((pair) => {
      const equals = pair.lastIndexOf('=')
      if (equals < 1) throw new UsageError(`--map must be COLUMN=FIELD, not “${pair}”`)
      const column = pair.slice(0, equals).trim()
      if (listPlaceholders(column).length > 0) fillPlaceholders(column, () => '', 'in --map')
      return [column, pair.slice(equals + 1).trim()]
    }),
  )
}

/**
 * Reads room IDs by key from the output of `rooms import -o ndjson`.
 * @throws {UsageError} if the file is unreadable or contains no IDs
 */
export async function readRoomIds({ host }: Context, file: string): Promise<Map<string, string>> {
  const source = await openSource(file, host)
  const ids = new Map<string, string>()
  try {
    for await (const rows of readRows(source.read(), 'ndjson', source.name, '', () => {}))
      for (const { fields } of rows)
        if (typeof fields?.['key'] === 'string' && typeof fields['id'] === 'string')
          ids.set(fields['key'], fields['id'])
  } finally {
    await source.close()
  }
  if (ids.size === 0)
    throw new UsageError(
      `${source.name} contains no IDs: --room-ids must be the output of “rooms import -o ndjson”`,
    )
  return ids
}
