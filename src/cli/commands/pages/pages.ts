import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { definePageCreate } from './create.ts'

export function definePages(pages: MeetroomCommand, act: DefineAction): void {
  definePageCreate(pages, act)
}
