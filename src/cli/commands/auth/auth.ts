import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineLogin } from './login.ts'
import { defineLogout } from './logout.ts'
import { defineAuthStatus } from './status.ts'

export function defineAuth(auth: MeetroomCommand): void {
  defineLogin(auth)
  defineLogout(auth)
  defineAuthStatus(auth)
}
