import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineUserCreate } from './create.ts'
import { defineUserDelete } from './delete.ts'
import { defineUserDuplicates } from './duplicates.ts'
import { defineUserExport } from './export.ts'
import { defineUserGet } from './get.ts'
import { defineUserHandOver } from './hand-over.ts'
import { defineUserImport } from './import.ts'
import { defineUserList } from './list.ts'
import { defineUserMerge } from './merge.ts'
import { defineUserOffboard } from './offboard.ts'
import { defineUserRooms } from './rooms.ts'
import { defineUserUpdate } from './update.ts'

export function defineUsers(users: MeetroomCommand, act: DefineAction): void {
  defineUserList(users, act)
  defineUserGet(users, act)
  defineUserCreate(users, act)
  defineUserUpdate(users, act)
  defineUserDelete(users, act)
  defineUserRooms(users, act)
  defineUserDuplicates(users, act)
  defineUserHandOver(users, act)
  defineUserOffboard(users, act)
  defineUserMerge(users, act)
  defineUserImport(users, act)
  defineUserExport(users, act)
}
