import { UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { ImportFlags } from './import-flags.ts'
import { at, ImportRun } from './import-run.ts'
import { checkInput } from './input/check.ts'
import { createReader } from './input/reader.ts'
import { parseMap, readRoomIds } from './input/renames.ts'
import { inputFormatOf } from './input/rows.ts'
import { openSource } from './input/source.ts'
import { kinds } from './kinds/index.ts'
import type { Body } from './kinds/kind.ts'

/** Imports a file: all of it is checked before anything is sent. */
export async function runImport(
  context: Context,
  name: keyof typeof kinds,
  file: string,
  flags: ImportFlags,
): Promise<void> {
  if (context.flags.curl) throw new UsageError('an import is no single request, which --curl could show')
  const kind = kinds[name]()
  const source = await openSource(file, context.host)
  try {
    const format = inputFormatOf(source.path ?? (file === '-' ? undefined : file), flags.inputFormat)
    const defaults: Body = flags.room === undefined ? {} : { room_id: flags.room }
    const rooms = flags.roomIds === undefined ? undefined : await readRoomIds(context, flags.roomIds)
    const renames = parseMap(flags.map ?? [])
    const reader = await createReader(kind, renames, defaults, rooms)
    const checked = await checkInput({
      source,
      format,
      kind,
      reader,
      signal: context.interrupt,
      onProblem: async (row, problem) => {
        if (!flags.skipInvalid) await context.report(new UsageError(`${at(source, row)}: ${problem}`))
      },
    })
    if (checked.invalid > 0 && !flags.skipInvalid)
      throw new UsageError(
        `${checked.invalid} of ${checked.rows} rows cannot be imported; nothing was sent`,
        { hint: 'mend them, or leave them out with --skip-invalid' },
      )
    for (const field of renames.values())
      if (field !== '' && !Object.hasOwn(kind.columns, field) && !kind.readOnly.includes(field))
        await context.notice(
          `warning: the API lists no field “${field}” of a ${kind.view.noun[0]}; it is sent all the same`,
        )
    if (flags.ifExists !== 'fail' && checked.keyless > 0)
      await context.notice(
        `warning: ${checked.keyless} of ${checked.rows} rows have no ${kind.keyName}: whether they are there already cannot be told, and they are made`,
      )
    await new ImportRun(context, kind, source, format, checked, file, flags).run()
  } finally {
    await source.close()
  }
}
