import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineProfileList } from './list.ts'
import { defineProfileProtect } from './protect.ts'
import { defineProfileRemove } from './remove.ts'
import { defineProfileUnprotect } from './unprotect.ts'
import { defineProfileUse } from './use.ts'

export function defineProfiles(profiles: MeetroomCommand): void {
  defineProfileList(profiles)
  defineProfileUse(profiles)
  defineProfileProtect(profiles)
  defineProfileUnprotect(profiles)
  defineProfileRemove(profiles)
}
