import { findProfile } from '../../../config/stored-file.ts'
import { withProfile } from '../../../config/writer.ts'
import type { Context } from '../../kernel/context.ts'

export async function setProtected(context: Context, name: string, isProtected: boolean): Promise<void> {
  context.expectNewProfile()
  await context.changeConfig((config) => {
    const { protected: _, ...profile } = findProfile(config, name) ?? {}
    return withProfile(config, name, isProtected ? { ...profile, protected: true } : profile)
  })
  await context.notice(`profile ${name} is ${isProtected ? 'protected' : 'no longer protected'}`)
}
