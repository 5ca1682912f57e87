import { localProfile } from '../../../config/selection.ts'
import { findProfile, listProfiles } from '../../../config/stored-file.ts'
import { withProfile } from '../../../config/writer.ts'
import { NotFoundError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'

export async function setProtected(context: Context, name: string, isProtected: boolean): Promise<void> {
  context.expectNewProfile()
  await requireProfile(context, name)
  await context.changeConfig((config) => {
    const { protected: _, ...profile } = findProfile(config, name) ?? {}
    return withProfile(config, name, isProtected ? { ...profile, protected: true } : profile)
  })
  await context.notice(`profile ${name} is ${isProtected ? 'protected' : 'no longer protected'}`)
}

/** @throws {NotFoundError} if no profile has the name */
export async function requireProfile(context: Context, name: string): Promise<void> {
  const stored = await context.storedConfig()
  if (name === localProfile || findProfile(stored, name)) return
  throw new NotFoundError(`no such profile: “${name}”`, { hint: listProfiles(name, stored).known })
}
