import { isJson } from '../../../config/values.ts'
import { UnhealthyError, UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printer } from '../../output/printer.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { selectStyle } from '../../output/terminal/style.ts'
import { canShowUnicode } from '../../output/terminal/unicode.ts'
import { own, visible } from '../../output/terminal/visible.ts'
import type { Finding } from './finding.ts'

export function defineDoctor(doctor: MeetroomCommand): void {
  doctor
    .description(
      'Check Node, settings, key, proxy, host name, connection, certificate, clock and workspace. Prints one line per check, and a fix for each problem. Changes nothing and never shows a key. Exits 1 if a check fails.',
    )
    .act('machine', (context) => runDoctor(context))
  doctor.addExamples('meetroom doctor', 'meetroom doctor --profile staging --json', 'meetroom doctor --local')
}

async function runDoctor(context: Context): Promise<void> {
  // The profile of a failed `auth login` does not exist.
  if (context.flags.baseUrl !== undefined) context.expectNewProfile()
  const { runChecks } = await import('./examination.ts')
  // Doctor must work with invalid settings.
  const printer = await context.printer().catch(() => context.plainPrinter())
  const { json, output } = context.flags
  const asJson = printer.printsJson || isJson(json ? 'json' : output)
  if (!asJson && output !== undefined && output !== 'table')
    throw new UsageError(`-o ${output} cannot be used with “doctor”, which prints lines or JSON`)
  const checks: Finding[] = []
  for await (const finding of runChecks(context)) {
    checks.push(finding)
    if (!asJson) await print(context, printer, finding)
  }
  const failed = checks.filter(({ status }) => status === 'failed')
  if (asJson) await printer.json({ ok: failed.length === 0, checks } satisfies Printed['doctor'])
  if (failed.length === 0) return
  const names = failed.map(({ check }) => check).join(', ')
  throw new UnhealthyError(`${failed.length} of ${checks.length} checks failed: ${names}`)
}

const marks = {
  unicode: { ok: '✔', failed: '✖', skipped: '-' },
  ascii: { ok: 'ok  ', failed: 'FAIL', skipped: '-   ' },
} as const

const width = 'settings file'.length

async function print({ host, flags }: Context, printer: Printer, finding: Finding): Promise<void> {
  const { check, status, message, hint } = finding
  const style = await selectStyle(host.stdout, host.env, flags.color)
  const mark = visible(marks[canShowUnicode(host) ? 'unicode' : 'ascii'][status])
  const paint = { ok: style.green, failed: style.red, skipped: style.dim }[status]
  const words = printer.makeVisible(`${check.padEnd(width)}  ${message}${hint ? `; ${hint}` : ''}`)
  await printer.write(own`${paint(mark)} ${words}\n`)
}
