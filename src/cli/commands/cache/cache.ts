import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineCacheWarm } from './warm.ts'

export function defineCache(cache: MeetroomCommand, act: DefineAction): void {
  defineCacheWarm(cache, act)
}
