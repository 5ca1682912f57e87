import { toText } from '../../../../api/to-text.ts'
import { OutputFile } from '../../../../files/output-file.ts'
import { describePeriod } from '../../../calendar/period.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import { markup } from '../../../output/html.ts'
import { visible } from '../../../output/terminal/visible.ts'
import type { Item, View } from '../../../output/views/views.ts'
import { formatPageHead } from '../../../reports/page.ts'
import { titleOf } from '../../../reports/page-table.ts'
import type { Span } from '../../../requests/audit/read-log.ts'

interface ChangesPage {
  add(rows: readonly Item[]): Promise<void>
  close(isComplete: boolean): Promise<void>
}

/** @throws {MeetroomError} if the file cannot be written */
export async function openChangesPage(
  name: string,
  context: Context,
  { kind, span, zone, timeOf }: { kind: View; span: Span; zone: TimeZone; timeOf(time: unknown): unknown },
): Promise<ChangesPage> {
  const printer = await context.printer()
  const fields = printer.options.columns ?? kind.columns.map(({ field }) => field)
  const shown = (value: unknown) => printer.makeVisible(toText(value))
  const titles = fields.map((field) => markup`<th scope="col">${titleOf(field)}</th>`)
  const file = await OutputFile.open(name, context.host)
  await file.write(formatPageHead(visible(`Changes${describePeriod(span, zone)}`), zone, context.host.now()))
  await file.write(
    markup`<div class="wide" tabindex="0" role="region" aria-label="Changes"><table>
<caption>Changes, the newest first</caption>
<thead><tr>${titles}</tr></thead>
<tbody>
`.text,
  )
  return {
    async add(rows) {
      for (const row of rows) {
        const cells = fields.map((field) => {
          const value = field === 'time' ? timeOf(row[field]) : row[field]
          return markup`<td><bdi>${shown(value)}</bdi></td>`
        })
        await file.write(markup`<tr>${cells}</tr>\n`.text)
      }
    },
    async close(isComplete) {
      const warning = isComplete
        ? markup``
        : markup`<section class="failed"><h2>Incomplete</h2><p>Some changes could not be read.</p></section>\n`
      await file.close(markup`</tbody>\n</table></div>\n${warning}</main>\n</body>\n</html>\n`.text)
      await context.notice(`wrote ${name}`)
    },
  }
}
