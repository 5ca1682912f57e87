import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineLogin } from './login.ts'
import { defineLogout } from './logout.ts'
import { defineAuthStatus } from './status.ts'

export function defineAuth(auth: MeetroomCommand, act: DefineAction): void {
  defineLogin(auth, act)
  defineLogout(auth, act)
  defineAuthStatus(auth, act)
}
