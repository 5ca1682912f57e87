import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { definePageCreate } from './create.ts'
import { definePageList } from './list.ts'

export function definePages(pages: MeetroomCommand): void {
  definePageList(pages)
  definePageCreate(pages)
}
