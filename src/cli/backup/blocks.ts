import { readJson } from '../../api/json.ts'
import { counted } from '../../api/plural.ts'
import { suggest, UsageError } from '../../errors.ts'
import { resolveOutput } from '../../files/file-kind.ts'
import { readInput } from '../../files/input-file.ts'
import type { Context } from '../kernel/context.ts'
import type { Membership } from '../lists/memberships.ts'
import { nameService } from '../requests/find-service.ts'
import { BackupFile } from './backup-file.ts'

/** Blocked member and its service, because IDs are unique only within a service. */
export interface SavedBlock {
  base_url: string
  room_id: unknown
  room_name: unknown
  room_type: unknown
  member_id: unknown
  user_id: string
}

/**
 * Resolves when the file is on disk. Without memberships, writes no file.
 * @throws {UsageError} if the file exists
 * @throws {OutputError} if the file cannot be written
 */
export async function saveBlocks(
  context: Context,
  file: string,
  memberships: readonly Membership[],
): Promise<void> {
  if (memberships.length === 0) return
  const base_url = nameService(await context.settings())
  const output = await BackupFile.create(resolveOutput(file, context.host, 'saved.ndjson'))
  try {
    for (const { user_id, room, member } of memberships) {
      const { id: room_id, name: room_name, type: room_type } = room
      const block: SavedBlock = { base_url, room_id, room_name, room_type, member_id: member['id'], user_id }
      await output.add(JSON.stringify(block))
    }
    await output.sync()
  } finally {
    await output.close()
  }
  await context.notice(`saved ${counted(memberships.length, 'block')} in ${file}`)
  const operand = file.startsWith('-') ? `./${file}` : file
  await context.notice([
    'unblock exactly these members with: ',
    suggest(['members', 'unblock', '--from', operand]),
  ])
}

/** @throws {UsageError} if the file is unreadable, or a line is not a block of this service */
export async function readBlocks(context: Context, file: string): Promise<SavedBlock[]> {
  const here = nameService(await context.settings())
  const text = await readInput(file, context.host, { name: `--from: ${file}` })
  const lines = text.toString().split('\n')
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return []
    const block = parseBlock(line)
    if (!block)
      throw new UsageError(`${file}:${i + 1}: the line is not a block saved by “members block --save”`)
    if (block.base_url !== here)
      throw new UsageError(`${file}:${i + 1}: the block belongs to another service, ${block.base_url}`)
    return [block]
  })
}

function parseBlock(line: string): SavedBlock | undefined {
  try {
    const { base_url, room_id, room_name, room_type, member_id, user_id } = Object(readJson(line))
    if (typeof base_url !== 'string' || typeof user_id !== 'string') return undefined
    return { base_url, room_id, room_name, room_type, member_id, user_id }
  } catch {
    return undefined
  }
}
