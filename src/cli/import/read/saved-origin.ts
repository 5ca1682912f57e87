import { ConfirmationError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { visible } from '../../output/terminal/visible.ts'
import type { Item } from '../../output/views/views.ts'
import { explainNotInteractive } from '../../requests/confirm.ts'
import { describeTarget } from '../../requests/find-service.ts'

/** Field of saved records that names their service. Imports do not send the field. */
export const originField = 'saved_from'

const maxNamed = 3

export class SavedOrigins {
  readonly #origins = new Set<string>()
  #isUnknown = false

  note(record: Item): void {
    const origin = record[originField]
    if (typeof origin === 'string' && origin !== '') {
      if (this.#origins.size <= maxNamed) this.#origins.add(origin)
      return
    }
    // Saved rooms, and saved users with memberships. Exports contain neither members nor memberships.
    const { created_at, members, memberships } = record
    if (created_at !== undefined && (Array.isArray(members) || Array.isArray(memberships)))
      this.#isUnknown = true
  }

  /**
   * Asks before records of another service are imported. `--yes` is not enough, because scripts usually pass
   * `--yes`.
   * @throws {ConfirmationError} if a required prompt is not possible, or the user declines
   */
  async confirm(context: Context, isExpected: boolean): Promise<void> {
    const target = await describeTarget(context)
    if (this.#isUnknown)
      await context.notice(
        `the records do not contain the base URL of their service; this service is ${target}`,
      )
    const others = [...this.#origins].filter((origin) => origin !== target)
    if (others.length === 0 || isExpected) return
    const names = [...others.slice(0, maxNamed), ...(others.length > maxNamed ? ['others'] : [])].join(', ')
    if (context.flags.dryRun)
      return context.notice(`warning: the records were saved from ${names}, not from ${target}`)
    const reason = explainNotInteractive(context.host)
    if (reason !== undefined)
      throw new ConfirmationError(
        `the records were saved from ${names}; importing them into ${target} needs confirmation, and ${reason}`,
        { hint: 'pass --from-other-service to confirm in advance' },
      )
    const { askConfirmation } = await import('../../requests/ask.ts')
    const question = visible(
      context.redact(`The records were saved from ${names}. Import them into ${target}?`),
    )
    if (!(await askConfirmation(context, question)))
      throw new ConfirmationError('not confirmed; nothing was changed')
  }
}
