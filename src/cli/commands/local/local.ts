import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineLocalBackup } from './backup.ts'
import { defineLocalClock } from './clock.ts'
import { defineLocalFail } from './fail.ts'
import { defineLocalReset } from './reset.ts'
import { defineLocalRestore } from './restore.ts'
import { defineLocalSeed } from './seed.ts'
import { defineLocalTidy } from './tidy.ts'

export function defineLocal(local: MeetroomCommand, act: DefineAction): void {
  defineLocalBackup(local, act)
  defineLocalRestore(local, act)
  defineLocalReset(local, act)
  defineLocalTidy(local, act)
  defineLocalSeed(local, act)
  defineLocalClock(local, act)
  defineLocalFail(local, act)
}
