import { Option } from 'commander'
import { roomTypes } from '../../api/vocabulary.ts'
import { UsageError } from '../../errors.ts'
import { encodings } from '../import/read/encoding.ts'
import { roleMapOption } from '../import/read/role-map.ts'
import { parseSeparator } from '../import/read/split-rows.ts'
import { collect, createSecondsParser } from '../input/input.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import type { RosterFlags } from './document/roster.ts'
import { type PlanOptions, type PruneKind, pruneKinds } from './plan/plan.ts'

export interface PlanFlags extends RosterFlags {
  prune?: readonly PruneKind[]
  recreate?: readonly string[]
  reblock?: boolean
  allowLarge?: ReadonlyMap<PruneKind, number>
}

export function addPlanFlags(command: MeetroomCommand): MeetroomCommand {
  return command
    .option(
      '--prune <kinds>',
      'plan to remove items that this file created or adopted and no longer declares: members (blocked), users, rooms',
      parsePruneKinds,
    )
    .option(
      '--recreate <room-key>',
      'plan to create the room with this key again if it is gone from the service; repeatable',
      collect,
    )
    .option('--reblock', 'plan to block members again if this file blocked them and somebody unblocked them')
    .option(
      '--allow-large <kind=n>',
      'allow exactly N removals of a kind (required above 3 and above 30 % of the kind); repeatable',
      parseAllowance,
    )
}

export function addRosterFlags(command: MeetroomCommand): MeetroomCommand {
  return command
    .option('--rooms-from <column>', 'for a CSV with one row for each user and class: column of the class')
    .option(
      '--users-from <columns>',
      "for a CSV: columns of user ID, name and email, such as pupil_id,name,email or 'id,{First} {Last}'",
      parseUserColumns,
    )
    .option('--role-from <column>', 'for a CSV: column of the role (guest, host or monitor)')
    .option(...roleMapOption)
    .option(
      '--split <separator>',
      "for a CSV: split a class cell such as '7a, 7b' at this separator",
      parseSeparator,
    )
    .addOption(
      new Option('--room-type <type>', 'for a CSV: type of new rooms (default: private)').choices(roomTypes),
    )
    .option(
      '--max-meeting-seconds <duration>',
      'for a CSV: maximum meeting time of new rooms, such as 45m; the service terminates a room after this time',
      createSecondsParser('--max-meeting-seconds'),
    )
    .addOption(
      new Option('--encoding <name>', 'for a CSV without a byte order mark (default: utf-8)').choices(
        encodings,
      ),
    )
    .option('--lock <file>', 'lock file; required after you rename the workspace file (default: FILE.lock)')
}

function parseUserColumns(text: string): readonly string[] {
  const columns = text.split(',').map((column) => column.trim())
  if (columns.length > 3 || columns.includes(''))
    throw new UsageError(`--users-from must name up to three columns, as in id,name,email, not “${text}”`)
  return columns
}

function parsePruneKinds(text: string): readonly PruneKind[] {
  return text.split(',').map((word) => requireKind('--prune', word.trim()))
}

function parseAllowance(
  text: string,
  before?: ReadonlyMap<PruneKind, number>,
): ReadonlyMap<PruneKind, number> {
  const [, kind = '', count] = /^(\w+)=(\d{1,9})$/.exec(text) ?? []
  if (count === undefined)
    throw new UsageError(`--allow-large must be KIND=N, as in members=12, not “${text}”`)
  return new Map([...(before ?? []), [requireKind('--allow-large', kind), Number(count)]])
}

function requireKind(flag: string, word: string): PruneKind {
  const kind = pruneKinds.find((known) => known === word)
  if (kind === undefined) throw new UsageError(`${flag} must name ${pruneKinds.join(', ')}, not “${word}”`)
  return kind
}

export function formatPlanFlags(flags: PlanFlags): string[] {
  const { prune = [], recreate = [], reblock = false, allowLarge = [] } = flags
  return [
    ...formatRosterFlags(flags),
    ...(prune.length > 0 ? ['--prune', prune.join(',')] : []),
    ...recreate.flatMap((key) => ['--recreate', key]),
    ...(reblock ? ['--reblock'] : []),
    ...[...allowLarge].flatMap(([kind, count]) => ['--allow-large', `${kind}=${count}`]),
  ]
}

export function formatRosterFlags(flags: RosterFlags): string[] {
  const { roleMap } = flags
  const values = {
    '--rooms-from': flags.roomsFrom,
    '--users-from': flags.usersFrom?.join(','),
    '--role-from': flags.roleFrom,
    '--role-map': roleMap && [...roleMap].map((pair) => pair.join('=')).join(','),
    '--split': flags.split,
    '--room-type': flags.roomType,
    '--max-meeting-seconds': flags.maxMeetingSeconds?.toString(),
    '--encoding': flags.encoding,
    '--lock': flags.lock,
  }
  return Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
}

export function readPlanOptions({ prune = [], recreate = [], reblock = false }: PlanFlags): PlanOptions {
  return { prune: new Set(prune), recreate: new Set(recreate), reblocks: reblock }
}
