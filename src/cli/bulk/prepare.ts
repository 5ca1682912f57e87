import { resolve } from 'node:path'
import { UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { ImportFlags } from './import-flags.ts'
import { type Checked, checkInput } from './input/check.ts'
import { inputPlace } from './input/place.ts'
import { createReader } from './input/reader.ts'
import { parseMap, readRoomIds } from './input/renames.ts'
import { type InputFormat, inputFormatOf } from './input/rows.ts'
import type { Source } from './input/source.ts'
import type { Body, Kind } from './kinds/kind.ts'

/** What was asked for. */
interface Asked {
  kind: Kind
  source: Source
  /** The file as it stands on the command line. */
  file: string
  flags: ImportFlags
}

/** An import that can begin: its input has been checked. */
export interface Plan extends Asked {
  format: InputFormat
  checked: Checked
  /** Path of the journal; undefined where none is kept. */
  journal: string | undefined
}

/**
 * Checks everything that can be checked before anything is sent.
 * @throws {UsageError} when flags or input are wrong
 */
export async function prepare(context: Context, asked: Asked): Promise<Plan> {
  const { kind, source, file, flags } = asked
  const journal = journalPath(context, asked)
  const format = inputFormatOf(source.path ?? (file === '-' ? undefined : file), flags.inputFormat)
  const defaults: Body = flags.room === undefined ? {} : { room_id: flags.room }
  const rooms = flags.roomIds === undefined ? undefined : await readRoomIds(context, flags.roomIds)
  const renames = parseMap(flags.map ?? [])
  const checked = await checkInput({
    source,
    format,
    kind,
    reader: await createReader(kind, renames, defaults, rooms),
    signal: context.interrupt,
    onProblem: async (row, problem) => {
      if (!flags.skipInvalid) await context.report(new UsageError(`${inputPlace(source, row)}: ${problem}`))
    },
  })
  if (checked.invalid > 0 && !flags.skipInvalid)
    throw new UsageError(`${checked.invalid} of ${checked.rows} rows cannot be imported; nothing was sent`, {
      hint: 'mend them, or leave them out with --skip-invalid',
    })
  await warn(context, asked, renames, checked)
  return { ...asked, format, checked, journal }
}

/** @throws {UsageError} when a run is to be resumed that keeps no journal */
function journalPath(context: Context, { source, flags }: Asked): string | undefined {
  const beside = source.path && `${source.path}.journal`
  const { journal = true } = flags
  const path = typeof journal === 'string' ? resolve(context.host.cwd, journal) : journal ? beside : undefined
  if (flags.resume && path === undefined)
    throw new UsageError('--resume needs a journal to go on with', {
      hint: source.path === undefined ? 'name it with --journal FILE' : 'leave out --no-journal',
    })
  return context.flags.dryRun ? undefined : path
}

/** Says what will happen and may not be what was meant. */
async function warn(
  context: Context,
  { kind, flags }: Asked,
  renames: ReadonlyMap<string, string>,
  { rows, keyless }: Checked,
): Promise<void> {
  for (const field of renames.values())
    if (field !== '' && !Object.hasOwn(kind.columns, field) && !kind.readOnly.includes(field))
      await context.notice(
        `warning: the API lists no field “${field}” of a ${kind.view.noun[0]}; it is sent all the same`,
      )
  if (flags.ifExists !== 'fail' && keyless > 0)
    await context.notice(
      `warning: ${keyless} of ${rows} rows have no ${kind.keyName}: whether they are there already cannot be told, and they are made`,
    )
}
