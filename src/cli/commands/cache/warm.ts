import { join } from 'node:path'
import { PartialError } from '../../../errors.ts'
import { createTemporaryDirectory } from '../../../files/temporary-directory.ts'
import type { DefineAction } from '../../kernel/action.ts'
import type { Context } from '../../kernel/context.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { visibleLines } from '../../output/terminal/visible.ts'

export function defineCacheWarm(cache: MeetroomCommand, act: DefineAction): void {
  const warm = cache
    .command('warm')
    .summary('Run common commands and store their compiled code for every user')
    .description(
      'Run the common commands of each group against a service of their own, store the compiled code in the directory ' +
        'cache beside the program, and print its path. Other users start as fast from it as from a cache of their own, ' +
        'also without a home directory. Only the owner of the program can write it. It serves the version of Node ' +
        'that runs this command. Not supported on Windows.',
    )
    .action(act('machine', warmCache))
  addExamples(warm, 'meetroom cache warm')
}

async function warmCache(context: Context): Promise<void> {
  const { openCacheDirectory, storeCache } = await import('./cache-directory.ts')
  const { runCommonCommands } = await import('./common-commands.ts')
  const { host } = context
  const printer = context.plainPrinter()
  const directory = await openCacheDirectory(host)
  const { path: home, remove } = await createTemporaryDirectory('the code')
  try {
    await printer.notice('running common commands; this takes some seconds')
    const failed = await runCommonCommands(host, home, context.interrupt)
    const { path, count } = await storeCache(directory, join(home, 'cache/meetroom'), host)
    await printer.notice(`stored the compiled code of ${count} commands for Node ${host.nodeVersion}`)
    await printer.data(`${path}\n`, visibleLines)
    if (failed.length > 0)
      throw new PartialError(`${failed.length} commands failed, so that their code is not stored`, {
        hint: `they are: ${failed.join('; ')}`,
      })
  } finally {
    await remove()
  }
}
