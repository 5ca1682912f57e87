import { omitUndefined } from '../../api/defined.ts'
import { readResponseValue } from '../../api/json.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import type { Host } from '../../host.ts'
import type { ListWriter, PrintOptions } from './formats/list-writer.ts'
import { Printer } from './printer.ts'
import type { Redact } from './redaction/redaction.ts'
import type { StatusLine } from './terminal/status-line.ts'
import { omitFields } from './views/define-row.ts'
import { createPage, type Page } from './views/page.ts'
import { countRow, factRow } from './views/rows.ts'
import type { Item, View } from './views/views.ts'

export class ProfilePrinter extends Printer {
  readonly #profile: string
  readonly #writerFor: (view: View) => Promise<ListWriter>

  constructor(
    host: Host,
    options: PrintOptions,
    redact: Redact,
    statusLine: StatusLine,
    profile: string,
    writerFor: (view: View) => Promise<ListWriter>,
  ) {
    super(host, options, redact, statusLine)
    this.#profile = profile
    this.#writerFor = writerFor
  }

  override check(view: View, writes = false): void {
    super.check(addProfileColumn(view), writes)
  }

  override list(view: View, key: string, pages: AsyncIterable<Page>): Promise<number> {
    return super.list(addProfileColumn(view), key, this.#addProfile(pages))
  }

  override async printOne(view: View, key: string, answer: ResponseBody): Promise<void> {
    const item = (readResponseValue(answer) as Item)[key] as Item
    await this.list(view, key, createPage({ items: [item] }))
  }

  override async count(count: number): Promise<void> {
    await this.list(countRow(), 'counts', createPage({ items: [{ count }] }))
  }

  override async printFacts(facts: Item, columns = Object.keys(facts)): Promise<void> {
    const view = omitFields(factRow(facts, columns), ['profile'])
    this.check(view)
    await this.list(view, 'facts', createPage({ items: [facts] }))
  }

  override writer(view: View): Promise<ListWriter> {
    return this.#writerFor(view)
  }

  override notice(text: string): Promise<void> {
    return super.notice(`${this.#profile}: ${text}`)
  }

  async *#addProfile(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    const mark = { profile: this.#profile }
    // The profile comes first in each row, and overwrites a field of the service with the same name.
    for await (const { items, plain } of pages)
      yield { items: items.map((item) => ({ ...mark, ...item, ...mark })), ...omitUndefined({ plain }) }
  }
}

function addProfileColumn(view: View): View {
  return {
    ...view,
    columns: [{ field: 'profile', weight: 9 }, ...view.columns],
    fields: ['profile', ...view.fields],
  }
}
