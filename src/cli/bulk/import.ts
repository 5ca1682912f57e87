import { UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { createAdapters } from './adapters/index.ts'
import { confirmImport } from './confirm-import.ts'
import { finishImport } from './finish-import.ts'
import { runImportRows } from './import-run.ts'
import { prepareImport } from './prepare.ts'
import type { ImportFlags } from './read/import-flags.ts'
import { openSource } from './read/source.ts'

export async function runImport(
  context: Context,
  name: keyof typeof createAdapters,
  file: string,
  flags: ImportFlags,
): Promise<void> {
  if (context.flags.curl) throw new UsageError('--curl shows one request, but an import sends many')
  const source = await openSource(file, context.host, flags.encoding)
  try {
    const plan = await prepareImport(context, { adapter: createAdapters[name](flags), source, file, flags })
    await confirmImport(context, plan)
    const { run, hasSent } = await runImportRows(context, plan)
    await finishImport(context, plan, run, hasSent)
  } finally {
    await source.close()
  }
}
