import { localProfile } from '../../../config/selection.ts'
import { findProfile } from '../../../config/stored-file.ts'
import { NotFoundError, suggest } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'

/** @throws {NotFoundError} when no profile has the name */
export async function requireProfile(context: Context, name: string): Promise<void> {
  if (name === localProfile || findProfile(await context.config.stored(), name)) return
  throw new NotFoundError(`no such profile: ${name}`, {
    hint: ['list them with: ', suggest(['profiles', 'list'])],
  })
}
