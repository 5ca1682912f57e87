import { UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { Tally } from '../pool/tally.ts'
import { conclude, inWords } from './conclude.ts'
import { confirmImport } from './confirm-import.ts'
import type { ImportFlags } from './import-flags.ts'
import { sendRows } from './import-run.ts'
import { openSource } from './input/source.ts'
import { kinds } from './kinds/index.ts'
import { prepare } from './prepare.ts'

/** Imports a file: all of it is checked before anything is sent. */
export async function runImport(
  context: Context,
  name: keyof typeof kinds,
  file: string,
  flags: ImportFlags,
): Promise<void> {
  if (context.flags.curl) throw new UsageError('--curl shows a single request, and an import is many')
  const source = await openSource(file, context.host, flags.encoding)
  try {
    const plan = await prepare(context, { kind: kinds[name](flags), source, file, flags })
    await confirmImport(context, plan)
    const tally = new Tally(plan.checked.share, (tally) => inWords(tally, plan, context.flags.dryRun))
    const fatal = await sendRows(context, plan, tally)
    await conclude(context, plan, tally, fatal)
  } finally {
    await source.close()
  }
}
