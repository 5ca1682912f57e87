import { extname } from 'node:path'
import { UsageError } from '../../../errors.ts'
import { openSource } from '../../import/read/source.ts'
import type { Context } from '../../kernel/context.ts'
import type { WorkspaceDocument } from './document.ts'
import { readWorkspaceFile } from './read-document.ts'
import type { RosterFlags } from './roster.ts'

/**
 * Reads a workspace file or a roster, and prints the notices of a roster.
 * @throws {UsageError} for an invalid file
 */
export async function readDesired(
  context: Context,
  file: string,
  flags: RosterFlags,
): Promise<WorkspaceDocument> {
  const { host } = context
  if (['.csv', '.tsv'].includes(extname(file).toLowerCase())) {
    const { readRoster } = await import('./roster.ts')
    const roster = await readRoster(context, file, flags)
    for (const notice of roster.notices ?? []) await context.notice(notice)
    return roster
  }
  const { roomsFrom, usersFrom, roleFrom, roleMap, split, roomType, maxMeetingSeconds, encoding } = flags
  const forRosters = [roomsFrom, usersFrom, roleFrom, roleMap, split, roomType, maxMeetingSeconds, encoding]
  const isRoster = forRosters.some((flag) => flag !== undefined)
  // openSource throws for a workbook, with an error that explains the export to CSV.
  if (isRoster || /^\.(xlsx?|xlsm|ods)$/i.test(extname(file))) await (await openSource(file, host)).close()
  if (isRoster)
    throw new UsageError(
      `${file} is not a roster: --rooms-from, --users-from, --role-from, --role-map, --split, --room-type, --max-meeting-seconds and --encoding are for CSV files`,
    )
  return readWorkspaceFile(file, host)
}
