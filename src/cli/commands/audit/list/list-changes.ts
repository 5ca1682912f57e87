import { join } from 'node:path'
import { createFlagConflict } from '../../../../api/flag-conflict.ts'
import { counted, plural } from '../../../../api/plural.ts'
import { parseTimestamp } from '../../../../api/readings.ts'
import { PartialError, suggest, UsageError } from '../../../../errors.ts'
import { requireSpan } from '../../../calendar/near-moment.ts'
import { readTimeZone } from '../../../calendar/time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import type { ListFlags } from '../../../kernel/flags.ts'
import { runRows } from '../../../lists/run-rows.ts'
import type { Page } from '../../../output/views/page.ts'
import { rowKinds } from '../../../output/views/rows.ts'
import {
  type AuditHistory,
  type ChangeRow,
  findLogFiles,
  type LogFile,
  openLogFiles,
  readAuditLogs,
} from '../../../requests/audit/read-log.ts'
import { printAll } from '../../../run/print-all.ts'

export interface AuditFlags extends ListFlags {
  since?: string
  until?: string
  period?: string
  names?: boolean
  html?: string
}

/** Prints the readable changes, then throws an error if a file could not be read to its end. */
export async function listChanges(
  context: Context,
  given: readonly string[],
  flags: AuditFlags,
): Promise<void> {
  const { names = false, html, count, countBy, since, until, period } = flags
  if (html !== undefined && (count || countBy !== undefined))
    throw createFlagConflict('--html', count ? '--count' : '--count-by')
  const zone = await readTimeZone(context)
  const times = { start: ['--since', since], end: ['--until', until], period } as const
  const span = requireSpan(times, context.host.now(), zone)
  const files = given.length > 0 ? openLogFiles(given, context.host) : await findConfiguredLog(context)
  const printer = await context.printer()
  const history = await readAuditLogs(files, span)
  const hidden = listUniform(history.changes)
  const columns = rowKinds.changes.columns.filter(({ field }) => !hidden.includes(field))
  const kind = { ...rowKinds.changes, columns }

  async function* read(): AsyncGenerator<Page> {
    const items = names
      ? await (await import('./name-changes.ts')).nameChanges(context, history.changes)
      : history.changes
    yield { items, plain: true }
  }

  await runRows(context, kind, read(), flags, async (pages) => {
    const { format, zone: zoneOfTables } = printer.options
    const isLocal = format === 'table' && context.host.stdout.isTTY && !zoneOfTables
    // An audit needs absolute times.
    const timeOf = (time: unknown) => {
      const ms = parseTimestamp(time)
      return typeof ms === 'number' ? `${zone.formatDay(ms)} ${zone.formatSeconds(ms)}` : time
    }
    const page = html === undefined ? undefined : await openPage(html)
    async function* shown(): AsyncGenerator<Page> {
      for await (const sent of pages) {
        await page?.add(sent.items)
        yield isLocal ? { items: sent.items.map((row) => ({ ...row, time: timeOf(row['time']) })) } : sent
      }
    }
    if (!page) return printer.list(kind, kind.key, shown())
    let isComplete = false
    try {
      // Completes the HTML report even if the reader of the rows closes the pipe.
      const printed = await printAll(printer, kind, kind.key, shown())
      isComplete = history.failures.length === 0
      return printed
    } finally {
      await page.close(isComplete)
    }

    async function openPage(file: string) {
      const { openChangesPage } = await import('./page.ts')
      return openChangesPage(file, context, { kind, span, zone, timeOf })
    }
  })
  await reportDamage(context, history)
}

/** Returns the columns `profile` and `origin` unless they distinguish the changes. */
function listUniform(changes: readonly ChangeRow[]): string[] {
  const profiles = new Set(changes.map(({ profile }) => profile))
  const services = new Set(changes.map(({ profile, origin }) => `${profile} ${origin}`))
  return [
    ...(profiles.size > 1 ? [] : ['profile']),
    // If each profile belongs to one service, `origin` adds nothing to `profile`.
    ...(services.size > Math.max(1, profiles.size) ? [] : ['origin']),
  ]
}

async function findConfiguredLog(context: Context): Promise<LogFile[]> {
  const { auditLog } = await context.settings()
  const { HOME: home = context.host.cwd } = context.host.env
  if (!auditLog)
    throw new UsageError('no audit log is set, so changes are not logged', {
      hint: [
        'start an audit log with: ',
        suggest(['config', 'set', 'audit_log'], join(home, 'meetroom-audit.ndjson')),
      ],
    })
  const { files, packed } = findLogFiles(auditLog.value)
  if (files.length === 0) await context.notice(`the audit log ${auditLog.value} does not exist yet`)
  if (packed.length > 0)
    await context.notice(
      `${counted(packed.length, 'rotated file')} ${plural(packed.length, 'is', 'are')} not read; decompress ${packed.join(', ')}`,
    )
  return files
}

async function reportDamage(context: Context, { damaged, failures }: AuditHistory): Promise<void> {
  if (damaged > 0)
    await context.notice(
      `${counted(damaged, 'line')} of the audit log ${plural(damaged, 'is', 'are')} damaged and omitted`,
    )
  const [first] = failures
  if (first) throw new PartialError(failures.map(({ message }) => message).join('; '))
}
