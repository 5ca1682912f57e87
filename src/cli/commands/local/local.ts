import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineLocalBackup } from './backup.ts'
import { defineLocalClock } from './clock.ts'
import { defineLocalFail } from './fail.ts'
import { defineLocalReset } from './reset.ts'
import { defineLocalRestore } from './restore.ts'
import { defineLocalSeed } from './seed.ts'
import { defineLocalTidy } from './tidy.ts'

export function defineLocal(local: MeetroomCommand): void {
  defineLocalBackup(local)
  defineLocalRestore(local)
  defineLocalReset(local)
  defineLocalTidy(local)
  defineLocalSeed(local)
  defineLocalClock(local)
  defineLocalFail(local)
}
