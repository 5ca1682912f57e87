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

export function defineUsers(users: MeetroomCommand): void {
  defineUserList(users)
  defineUserGet(users)
  defineUserCreate(users)
  defineUserUpdate(users)
  defineUserDelete(users)
  defineUserRooms(users)
  defineUserDuplicates(users)
  defineUserHandOver(users)
  defineUserOffboard(users)
  defineUserMerge(users)
  defineUserImport(users)
  defineUserExport(users)
}
