import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineMemberAdd } from './add.ts'
import { defineMemberBlock } from './block.ts'
import { defineMemberExport } from './export.ts'
import { defineMemberGet } from './get.ts'
import { defineMemberImport } from './import.ts'
import { defineMemberLinks } from './links.ts'
import { defineMemberList } from './list.ts'
import { defineMemberUnblock } from './unblock.ts'
import { defineMemberUpdate } from './update.ts'

export function defineMembers(members: MeetroomCommand, act: DefineAction): void {
  defineMemberList(members, act)
  defineMemberGet(members, act)
  defineMemberLinks(members, act)
  defineMemberAdd(members, act)
  defineMemberUpdate(members, act)
  defineMemberBlock(members, act)
  defineMemberUnblock(members, act)
  defineMemberImport(members, act)
  defineMemberExport(members, act)
}
