import { extname } from 'node:path'
import { UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'
import type { WorkspaceDocument } from './document.ts'
import { readWorkspaceFile } from './read-document.ts'
import type { RosterFlags } from './roster.ts'

/** Reads a workspace file, or a roster from a CSV or TSV file. */
export async function readDesired(file: string, flags: RosterFlags, host: Host): Promise<WorkspaceDocument> {
  if (['.csv', '.tsv'].includes(extname(file).toLowerCase())) {
    const { readRoster } = await import('./roster.ts')
    return readRoster(file, flags, host)
  }
  const { roomsFrom, usersFrom, roleFrom, roomType, encoding } = flags
  if ([roomsFrom, usersFrom, roleFrom, roomType, encoding].some((flag) => flag !== undefined))
    throw new UsageError(
      `${file} is not a roster: --rooms-from, --users-from, --role-from, --room-type and --encoding are for CSV files`,
    )
  return readWorkspaceFile(file, host)
}
