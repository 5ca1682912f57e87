import { secretFields } from '../../../api/resources.ts'
import type { Item, View } from '../views/views.ts'
import { holdsSecret, maskSecrets, removeSecrets } from './secrets.ts'

/**
 * Masks and removes secrets in results. This folder handles all secrets of output:
 * - `secret-filter.ts` masks access tokens in JSON on a terminal, and removes them from tables, records, CSV and TSV
 * unless `--show-tokens` or `--columns` asks for them. Start here.
 * - `secrets.ts` has the masking functions and the list of secret headers.
 * - `known-secrets.ts` collects the keys of a run; `redact.ts` finds them in a text, in any encoding.
 * - `redact-responses.ts` removes keys from responses before anything else reads them.
 */
export class SecretFilter {
  readonly #showsAll: boolean
  readonly #columns: readonly string[] | undefined
  /** True after a secret is hidden, so that a notice is due. */
  hasHidden = false

  constructor(showsAll: boolean, named: readonly string[] | undefined) {
    this.#showsAll = showsAll
    this.#columns = named
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

  /** Removes secret fields from a view, or adds columns for them with `--show-tokens`. */
  view(view: View): View {
    const secret = view.fields.filter((field) => secretFields.has(field))
    if (secret.length === 0) return view
    const columns = view.columns.filter(({ field }) => !secretFields.has(field))
    if (!this.#showsAll)
      return { ...view, columns, fields: view.fields.filter((field) => !secretFields.has(field)) }
    // Requested columns keep their place on a narrow terminal.
    return { ...view, columns: [...columns, ...secret.map((field) => ({ field, weight: 9 }))] }
  }
}
