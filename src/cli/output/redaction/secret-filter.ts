import { secretFields } from '../../../api/resources.ts'
import type { Page } from '../views/page.ts'
import type { Item, View } from '../views/views.ts'
import { holdsSecret, maskSecrets, removeSecrets } from './fields.ts'

/** Filter of access tokens in results. In tables, CSV and TSV, fields named by `--columns` remain. */
export class SecretFilter {
  hasHidden = false
  readonly #showsAll: boolean
  readonly #columns: readonly string[] | undefined

  constructor(showsAll: boolean, columns: readonly string[] | undefined) {
    this.#showsAll = showsAll
    this.#columns = columns
  }

  json<T>(value: T): T {
    if (this.#showsAll) return value
    this.hasHidden ||= holdsSecret(value)
    return maskSecrets(value)
  }

  cells(items: readonly Item[]): readonly Item[] {
    return this.#showsAll ? items : items.map((item) => removeSecrets(item, this.#columns))
  }

  fields(items: readonly Item[]): readonly Item[] {
    const safe = this.cells(items)
    this.hasHidden ||=
      this.#columns === undefined && items.some((item, i) => item !== safe[i] && holdsSecret(item))
    return safe
  }

  view(view: View): View {
    const secret = [...view.fields, ...(view.unlisted ?? [])].filter((field) => secretFields.has(field))
    if (secret.length === 0) return view
    const columns = view.columns.filter(({ field }) => !secretFields.has(field))
    if (!this.#showsAll) {
      const isShown = (field: string) => !secretFields.has(field)
      const { fields, alwaysShown = [] } = view
      return { ...view, columns, fields: fields.filter(isShown), alwaysShown: alwaysShown.filter(isShown) }
    }
    // The high weight keeps requested columns on a narrow terminal.
    return { ...view, columns: [...columns, ...secret.map((field) => ({ field, weight: 9 }))] }
  }
}

/** Filter that removes access tokens from the pages of a list, because tokens cannot be imported. */
export class WithoutSecrets {
  readonly #pages: AsyncIterable<Page>
  hasRemovedSecrets = false

  constructor(source: AsyncIterable<Page>) {
    this.#pages = source
  }

  async *pages(): AsyncGenerator<Page> {
    for await (const page of this.#pages) {
      const items = page.items.map((item) => removeSecrets(item))
      const isSame = items.every((item, i) => item === page.items[i])
      this.hasRemovedSecrets ||= page.items.some(holdsSecret)
      const { whole: _, ...rest } = page
      yield isSame ? page : { ...rest, items }
    }
  }
}
