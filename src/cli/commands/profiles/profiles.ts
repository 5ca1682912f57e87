import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineProfileList } from './list.ts'
import { defineProfileProtect } from './protect.ts'
import { defineProfileRemove } from './remove.ts'
import { defineProfileUnprotect } from './unprotect.ts'
import { defineProfileUse } from './use.ts'

export function defineProfiles(profiles: MeetroomCommand, act: DefineAction): void {
  defineProfileList(profiles, act)
  defineProfileUse(profiles, act)
  defineProfileProtect(profiles, act)
  defineProfileUnprotect(profiles, act)
  defineProfileRemove(profiles, act)
}
