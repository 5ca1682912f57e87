import { UsageError } from '../../../errors.ts'
import { fillPlaceholders, listPlaceholders } from '../../input/placeholders.ts'
import type { Context } from '../../kernel/context.ts'
import { foldName } from './reader.ts'
import { readRows } from './rows.ts'
import { openSource } from './source.ts'

/**
 * Parses `--map` values, split at the last `=`. A further field of a column has a template as its key.
 * @throws {UsageError} for a malformed value
 */
export function parseMap(pairs: readonly string[]): Map<string, string> {
  const renames = new Map<string, string>()
  const mapped = new Map<string, string>()
  for (const pair of pairs) {
    const equals = pair.lastIndexOf('=')
    if (equals < 1) throw new UsageError(`--map must be COLUMN=FIELD, not “${pair}”`)
    const column = pair.slice(0, equals).trim()
    const field = pair.slice(equals + 1).trim()
    let key = column
    const earlier = mapped.get(foldName(column)) ?? ''
    if (earlier !== '' && field !== '' && earlier !== field) {
      if (listPlaceholders(key).length === 0) key = `{${key}}`
      // `createJoin` ignores the spaces, which make the key unique.
      while (renames.has(key) && renames.get(key) !== field) key += ' '
    } else mapped.set(foldName(column), field)
    if (listPlaceholders(key).length > 0) fillPlaceholders(key, () => '', 'in --map')
    renames.set(key, field)
  }
  return renames
}

/**
 * Reads room IDs by key from the output of `rooms import -o ndjson`.
 * @throws {MeetroomError} if the file cannot be read or contains no IDs
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
