import { toPeriodError } from '../../calendar/near-moment.ts'
import { parsePeriod } from '../../calendar/period.ts'
import type { TimeZone } from '../../calendar/time-zone.ts'
import type { Context } from '../../kernel/context.ts'
import { createPage, type Page } from '../../output/views/page.ts'
import { selectReportView } from '../../reports/columns.ts'
import { groupUsage } from '../../reports/group-by.ts'
import { Groups } from '../../reports/groups.ts'
import type { Interval } from '../../reports/minutes.ts'
import { type AttendanceFlags, createPlan, type ReportPlan } from '../../reports/plan.ts'
import { type ReportOptions, runReport } from '../../reports/report.ts'
import { ReportTable } from '../../reports/table.ts'

export interface UsageFlags extends ReportOptions, Pick<AttendanceFlags, 'minMinutes' | 'gap'> {
  month?: string
  by?: 'room'
}

/** @throws {MeetroomError} for invalid flags, and if some rooms failed or were not listed */
export async function runUsage(context: Context, flags: UsageFlags): Promise<void> {
  const { month = 'this-month', by, where } = flags
  const plan = await createPlan(context, groupUsage(by), flags, (now, zone) => readMonth(month, now, zone))
  const byDay: ReportPlan = { ...plan, grouping: { unit: 'day', isUnitFirst: true } }
  const view = selectReportView(byDay.grouping)
  const days = new Groups(byDay, view.fields, true)
  const printer = await context.printer()
  const { format, columns } = printer.options
  const isMonth = format === 'table' && by === undefined && !columns && !context.flags.allProfiles

  async function printMonth(rows: AsyncIterable<Page>): Promise<void> {
    for await (const { items } of rows) for (const facts of items) await printer.printFacts(facts)
    const table = new ReportTable(context.host, view, byDay, false)
    const { lines, scale } = days.end()
    const items = table.show(lines, scale)
    if (items.length === 0) return
    await printer.line('')
    await printer.list({ ...table.view, isFixed: true }, 'usage', createPage({ items }))
  }

  await runReport(
    context,
    [],
    plan,
    { ...flags, allRooms: where === undefined },
    {
      onRoom: async (report) => void (isMonth && (await days.add(report))),
      print: async (rows, list) => {
        if (isMonth) await printMonth(rows())
        else if ((await list()) === 0 && format === 'table') await printer.notice('no rooms were used')
        await context.notice('deleted rooms are missing')
      },
    },
  )
}

function readMonth(text: string, now: number, zone: TimeZone): Interval {
  const accepted = /^(this-month|last-month|\d{4}-\d\d)$/i
  const span = accepted.test(text) ? parsePeriod(text, now, zone) : undefined
  const required = '--month must be a month such as 2026-10, this-month or last-month'
  if (!span) throw toPeriodError(required, text, [now, zone], accepted)
  return span
}
