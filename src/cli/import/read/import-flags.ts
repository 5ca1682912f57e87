import { type Command, Option } from 'commander'
import { type RoomType, roomTypes } from '../../../api/vocabulary.ts'
import { parseDelimiter } from '../../input/delimiter.ts'
import { collect, createIntegerParser } from '../../input/input.ts'
import { addPaceFlags, createWhereOption, type PaceFlags } from '../../kernel/flags.ts'
import { type GivenOption, readGivenOptions } from '../../kernel/given.ts'
import { type Encoding, encodings } from './encoding.ts'
import { type RoleWords, roleMapOption } from './role-map.ts'
import type { InputFormat } from './rows.ts'
import { Shard } from './shard.ts'
import { parseSeparator } from './split-rows.ts'

const ifExists = ['overwrite', 'update', 'skip', 'fail'] as const
export type IfExists = (typeof ifExists)[number]

export interface ImportFlags extends PaceFlags {
  inputFormat?: InputFormat
  encoding?: Encoding
  delimiter?: string
  map?: string[]
  ignoreUnknown?: boolean
  roleMap?: RoleWords
  split?: string
  where?: string[]
  ifExists: IfExists
  match?: 'name'
  groupBy?: 'name'
  createMissing?: boolean
  again?: boolean
  fromOtherService?: boolean
  shard?: Shard
  receipt?: boolean
  max?: number
  skipInvalid?: boolean
  requireRows?: boolean
  /** False for `--no-journal`, a path for `--journal FILE`. */
  journal?: string | boolean
  resume?: boolean
  failedOut?: string
  room?: string
  type?: RoomType
  roomIds?: string
  unblock?: boolean
  given: readonly GivenOption[]
}

export function importFlags<C extends Command>(command: C, kind: 'users' | 'rooms' | 'members'): C {
  // Only imports of rooms have receipts, but every import accepts the released flag.
  const hasReceipts = kind === 'rooms'
  return addPaceFlags(
    command
      .hook('preAction', () => {
        command.setOptionValue('given', readGivenOptions(command))
        // Commander stores a `--delimiter` before the command name in the global flags.
        command.setOptionValue('delimiter', command.optsWithGlobals()['delimiter'])
      })
      .addOption(
        new Option(
          '--input-format <format>',
          'format of the file (default: from its extension or contents)',
        ).choices(['csv', 'ndjson', 'json']),
      )
      .addOption(
        new Option(
          '--encoding <name>',
          'encoding of a file without a byte order mark (default: utf-8)',
        ).choices(encodings),
      )
      .option('--delimiter <character>', 'separator of CSV cells (default: from the header)', parseDelimiter)
      .option(
        '--map <column=field>',
        "read a column, or several ('{First} {Last}=name'), as a field; 'Notes=' ignores a column; repeatable, also for one column",
        collect,
      )
      .option(...roleMapOption)
      .option('--ignore-unknown', 'ignore unknown columns and fields')
      .addOption(
        new Option(
          '--if-exists <action>',
          'action for an existing item: overwrite the item, update only the fields of the row, skip the row or fail',
        )
          .choices(ifExists)
          .default('fail'),
      )
      .option(...createWhereOption("only rows that match, as in 'name~Maths'"))
      .option('--skip-invalid', 'skip invalid rows instead of sending nothing')
      .option('--require-rows', 'refuse a file without rows')
      .option('--shard <i/n>', 'import only the i-th of n shards of the file, such as 2/4', Shard.parse)
      .option(
        '--failed-out <file>',
        'write failed rows to this file, with a column “reason”; delete the file of an earlier run if no row fails',
      )
      .option('--journal <file>', 'journal, which records the sent rows (default: beside the input)')
      .option(
        '--no-journal',
        hasReceipts
          ? 'write no journal and no receipt; an interrupted run cannot be resumed, and a second rooms import creates the rooms again'
          : 'write no journal; an interrupted run cannot be resumed',
      )
      .addOption(
        hasReceipts
          ? new Option(
              '--no-receipt',
              'write no receipt; a second rooms import of the same rows creates the rooms again',
            )
          : new Option('--no-receipt', 'no effect: only “rooms import” writes receipts').hideHelp(),
      )
      .option('--resume', 'resume an interrupted run'),
  )
}

/** @param limited limited changes, such as `block more than N existing members` */
export function maxFlag<C extends Command>(command: C, limited: string): C {
  return command.option(
    '--max <n>',
    `refuse to ${limited} (required with --yes for more than 20)`,
    createIntegerParser('--max', 1),
  )
}

export function originFlag<C extends Command>(command: C): C {
  return command.option(
    '--from-other-service',
    'confirm an import of records that --save wrote at another service',
  )
}

export function splitFlag<C extends Command>(command: C, field: 'name' | 'room_id'): C {
  const [cell, item] = field === 'name' ? ['7a, 7b', 'name'] : ['ID1, ID2', 'ID']
  return command.option(
    '--split <separator>',
    `split a ${field} cell such as '${cell}' at this separator: one row for each ${item}`,
    parseSeparator,
  )
}

export const unblockText = 'with --if-exists overwrite or update, unblock blocked members'

export function roomImportFlags<C extends Command>(command: C): C {
  return splitFlag(originFlag(maxFlag(command, 'terminate or block more than N existing items')), 'name')
    .addOption(
      new Option('--match <field>', 'match existing rooms by this field instead of their ID').choices([
        'name',
      ]),
    )
    .addOption(
      new Option(
        '--group-by <field>',
        'read one row per member (user_id, member_type, member_name); rows with the same name form one room; implies --match name',
      ).choices(['name']),
    )
    .addOption(new Option('--type <type>', 'type of new rooms whose row has none').choices(roomTypes))
    .option(
      '--create-missing',
      'with --if-exists overwrite or update, create a room for each row with an unknown ID',
    )
    .option('--unblock', unblockText)
    .option('--again', 'create rooms even if an earlier run of this import created them')
}
