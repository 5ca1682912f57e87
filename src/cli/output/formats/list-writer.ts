import { writeJson } from '../../../api/json.ts'
import { toText } from '../../../api/to-text.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { Format } from '../../../config/values.ts'
import type { Host, Visible } from '../../../host.ts'
import type { TimeZone } from '../../calendar/time-zone.ts'
import type { Redact, SecretFilter } from '../redaction/redaction.ts'
import { readTerminalWidth, selectStyle } from '../terminal/style.ts'
import { isAsciiOnly } from '../terminal/unicode.ts'
import { joinVisible, own, visible, visibleJson, visibleLines } from '../terminal/visible.ts'
import type { Page } from '../views/page.ts'
import type { Item, View } from '../views/views.ts'
import type { CsvDialect } from './csv.ts'
import type { Query } from './query.ts'
import { RowWriter } from './rows.ts'

export interface ListWriter {
  page(page: Page): Promise<void>
  end(): Promise<void>
}

export interface PrintOptions {
  format: Format
  columns?: readonly string[] | undefined
  /** Value of `--columns` as typed. */
  typedColumns?: string | undefined
  header: boolean
  color: boolean
  quiet: boolean
  showTokens?: boolean
  query?: Query | undefined
  csv?: CsvDialect
  /** Zone of the times in tables and records, if the command line names one. */
  zone?: TimeZone | undefined
}

interface ListPrinter {
  readonly options: PrintOptions
  write(text: Visible): Promise<void>
  data(raw: string, shown: (raw: string) => Visible): Promise<void>
  body(response: ResponseBody): Promise<void>
  result(document: unknown): Promise<void>
  notice(text: string): Promise<void>
  maskOnTerminal<T>(value: T): T
  now(): number | undefined
}

export async function createListWriter(
  out: ListPrinter,
  { host, secretFilter, redact }: { host: Host; secretFilter: SecretFilter; redact: Redact },
  view: View,
  key: string,
): Promise<ListWriter> {
  const { format, columns, header, color, query } = out.options
  if (query) return createQueryWriter(out, key)
  const { stdout, env } = host
  switch (format) {
    case 'table': {
      const { TableWriter } = await import('./table.ts')
      const table = new TableWriter({
        view: secretFilter.view(view),
        fields: columns,
        header,
        style: await selectStyle(stdout, env, color),
        width: readTerminalWidth(stdout, env),
        now: out.now(),
        zone: out.options.zone,
        redact,
        ascii: isAsciiOnly(host),
      })
      return {
        page: ({ items }: Page) =>
          items.length > 0 ? out.write(table.page(secretFilter.cells(items))) : Promise.resolve(),
        end: async () => {
          const names = table.omitted.join(', ')
          const hint = view.isFixed ? '' : '; select columns with --columns'
          if (names) await out.notice(`columns omitted for width: ${names}${hint}`)
        },
      }
    }
    case 'csv': {
      const { byteOrderMark, formatCsv } = await import('./csv.ts')
      const { bom, ...dialect } = out.options.csv ?? {}
      const rows = new RowWriter(
        { view: secretFilter.view(view), fields: columns, header },
        (items, options) => formatCsv(items, options, dialect),
      )
      const start = bom && !stdout.isTTY ? byteOrderMark : ''
      return createRowWriter(out, secretFilter, rows, (lines) => visibleLines(lines, '\r\n'), start)
    }
    case 'tsv': {
      const { formatTsv, visibleTsv } = await import('./tsv.ts')
      const rows = new RowWriter({ view: secretFilter.view(view), fields: columns, header }, formatTsv)
      return createRowWriter(out, secretFilter, rows, visibleTsv)
    }
    case 'ids':
      return {
        // Escaping keeps an ID with a line break on one line.
        page: ({ items }: Page) =>
          out.data(
            joinVisible(items.map((item) => own`${visible(toText(item[view.id ?? 'id']))}\n`)),
            visibleLines,
          ),
        end: async () => {},
      }
    case 'ndjson':
      return {
        page: (page: Page) => {
          let lines = ''
          for (const item of itemsToJson(onScreen(out, page))) lines += `${item}\n`
          return out.data(lines, visibleJson)
        },
        end: async () => {},
      }
    case 'json':
      return createJsonWriter(out, key)
  }
}

function createRowWriter(
  out: ListPrinter,
  secretFilter: SecretFilter,
  rows: RowWriter,
  shown: (lines: string) => Visible,
  start = '',
): ListWriter {
  let before = start
  const write = (lines: string) => {
    const text = before + lines
    before = ''
    return out.data(text, shown)
  }
  return {
    page: ({ items }: Page) =>
      items.length > 0 ? write(rows.page(secretFilter.fields(items))) : Promise.resolve(),
    end: async () => {
      await write(rows.end())
      const omitted = rows.describeOmitted()
      if (omitted) await out.notice(omitted)
    },
  }
}

function createJsonWriter(out: ListPrinter, key: string): ListWriter {
  let pendingPage: Page | undefined
  let count = 0
  let started = false
  const items = async (sent: Page) => {
    const page = onScreen(out, sent)
    const text = page.plain ? JSON.stringify(page.items).slice(1, -1) : itemsToJson(page).join(',')
    const comma = count > 0 && page.items.length > 0 ? ',' : ''
    await out.data((started ? '' : `{${JSON.stringify(key)}:[`) + comma + text, visibleJson)
    started = true
    count += page.items.length
  }
  return {
    page: async (page: Page) => {
      if (pendingPage) await items(pendingPage)
      pendingPage = page
    },
    end: async () => {
      if (!started && pendingPage?.whole) return out.body(pendingPage.whole)
      await items(pendingPage ?? { items: [] })
      const rest = Object.entries(out.maskOnTerminal(pendingPage?.rest ?? {})).map(
        ([name, value]) => `,${JSON.stringify(name)}:${writeJson(value)}`,
      )
      await out.data(`]${rest.join('')}}\n`, visibleJson)
    },
  }
}

/** Collects all pages, because an expression applies to the whole document. */
function createQueryWriter(out: ListPrinter, key: string): ListWriter {
  const items: Item[] = []
  let whole: ResponseBody | undefined
  let rest: Item = {}
  let pages = 0
  return {
    page: async (page: Page) => {
      for (const item of page.items) items.push(item)
      whole = page.whole
      rest = page.rest ?? {}
      pages++
    },
    end: () => (whole && pages === 1 ? out.body(whole) : out.result({ [key]: items, ...rest })),
  }
}

const onScreen = (out: ListPrinter, page: Page): Page => ({ ...page, items: out.maskOnTerminal(page.items) })

function itemsToJson({ items, plain }: Page): string[] {
  return items.map((item) => (plain ? JSON.stringify(item) : writeJson(item)))
}
