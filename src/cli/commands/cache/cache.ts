import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineCacheWarm } from './warm.ts'

export function defineCache(cache: MeetroomCommand): void {
  defineCacheWarm(cache)
}
