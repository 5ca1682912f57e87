import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineConfigGet } from './get.ts'
import { defineConfigList } from './list.ts'
import { defineConfigPath } from './path.ts'
import { defineConfigSet } from './set.ts'
import { defineConfigUnset } from './unset.ts'

export function defineConfig(config: MeetroomCommand, act: DefineAction): void {
  defineConfigList(config, act)
  defineConfigGet(config, act)
  defineConfigSet(config, act)
  defineConfigUnset(config, act)
  defineConfigPath(config, act)
}
