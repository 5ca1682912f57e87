import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineConfigGet } from './get.ts'
import { defineConfigList } from './list.ts'
import { defineConfigPath } from './path.ts'
import { defineConfigSet } from './set.ts'
import { defineConfigUnset } from './unset.ts'

export function defineConfig(config: MeetroomCommand): void {
  defineConfigList(config)
  defineConfigGet(config)
  defineConfigSet(config)
  defineConfigUnset(config)
  defineConfigPath(config)
}
