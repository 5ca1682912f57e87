import { secretFields } from '../../../api/resources.ts'
import type { Item, View } from '../views/views.ts'
import { holdsSecret, masked, withoutSecrets } from './secrets.ts'

/** Decides what is shown of the secrets in answers: access tokens act as their users, and outputs are kept and shared. */
export class SecretFilter {
  readonly #showsAll: boolean
  readonly #named: readonly string[] | undefined
  /** Whether a secret was kept out of something that is complete otherwise. */
  isNoticeable = false

  /** @param named the columns that were asked for */
  constructor(showsAll: boolean, named: readonly string[] | undefined) {
    this.#showsAll = showsAll
    this.#named = named
  }

  /** What a terminal is shown of JSON. */
  json<T>(value: T): T {
    if (this.#showsAll) return value
    this.isNoticeable ||= holdsSecret(value)
    return masked(value)
  }

  /** What a table shows of items. */
  cells(items: readonly Item[]): readonly Item[] {
    return this.#showsAll ? items : items.map((item) => withoutSecrets(item, this.#named))
  }

  /** What a record or CSV shows of items: everything but secrets, unless columns were chosen. */
  fields(items: readonly Item[]): readonly Item[] {
    const safe = this.cells(items)
    this.isNoticeable ||=
      this.#named === undefined && items.some((item, i) => item !== safe[i] && holdsSecret(item))
    return safe
  }

  /** The view without its secret fields, or with columns for them. */
  view(view: View): View {
    const secret = view.fields.filter((field) => secretFields.has(field))
    if (secret.length === 0) return view
    const columns = view.columns.filter(({ field }) => !secretFields.has(field))
    if (!this.#showsAll)
      return { ...view, columns, fields: view.fields.filter((field) => !secretFields.has(field)) }
    // What was asked for is not left out for width.
    return { ...view, columns: [...columns, ...secret.map((field) => ({ field, weight: 9 }))] }
  }
}
