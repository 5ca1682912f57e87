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

export function defineMembers(members: MeetroomCommand): void {
  defineMemberList(members)
  defineMemberGet(members)
  defineMemberLinks(members)
  defineMemberAdd(members)
  defineMemberUpdate(members)
  defineMemberBlock(members)
  defineMemberUnblock(members)
  defineMemberImport(members)
  defineMemberExport(members)
}
