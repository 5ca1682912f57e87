import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { definePageCreate } from './create.ts'
import { definePageList } from './list.ts'

export function definePages(pages: MeetroomCommand, act: DefineAction): void {
  definePageList(pages, act)
  definePageCreate(pages, act)
}
