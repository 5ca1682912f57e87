import { localProfile } from '../../../config/selection.ts'
import { findProfile, listProfiles } from '../../../config/stored-file.ts'
import { NotFoundError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'

/** @throws {NotFoundError} if no profile has the name */
export async function requireProfile(context: Context, name: string): Promise<void> {
  const stored = await context.storedConfig()
  if (name === localProfile || findProfile(stored, name)) return
  throw new NotFoundError(`no such profile: “${name}”`, { hint: listProfiles(name, stored).known })
}
