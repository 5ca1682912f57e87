import { isLoopback } from '../../../api/loopback.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { isJson } from '../../../config/values.ts'
import type { RunningService } from '../../../embedded/serve.ts'
import type { Context } from '../../kernel/context.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { visibleLines } from '../../output/terminal/visible.ts'
import type { LogFormat, ServiceLog } from './service-log.ts'

export async function announce(
  context: Context,
  flags: { host: string; logFormat: LogFormat },
  log: ServiceLog,
  { baseUrl }: RunningService,
  keyFile: string,
): Promise<void> {
  const printer = context.flags.query === undefined ? context.plainPrinter() : await context.printer()
  if (printer.printsJson || isJson(context.flags.json ? 'json' : context.flags.output)) {
    const ready: Printed['serve'] = {
      event: 'ready',
      base_url: baseUrl,
      api_key_file: keyFile,
      pid: context.host.pid,
    }
    await printer.json(ready)
  } else {
    await printer.data(`${baseUrl}\n`, visibleLines)
    if (flags.logFormat === 'json') await log.say(`serving at ${baseUrl}`)
    else {
      await printer.notice('serving; press ^C to stop. In another shell:')
      await printer.notice(`  export MEETROOM_BASE_URL=${baseUrl}`)
      await printer.notice(`  export MEETROOM_API_KEY="$(cat ${quoteForShell(keyFile)})"`)
    }
  }
  if (!isLoopback(flags.host.includes(':') ? `[${flags.host}]` : flags.host))
    await log.say(`warning: other machines can reach ${flags.host} without encryption`)
}
