import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineRoomCreate } from './create.ts'
import { defineRoomDelete } from './delete.ts'
import { defineRoomExport } from './export.ts'
import { defineRoomGet } from './get.ts'
import { defineRoomImport } from './import.ts'
import { defineRoomLink } from './link.ts'
import { defineRoomList } from './list.ts'
import { defineRoomOpen } from './open.ts'
import { defineRoomReopen } from './reopen.ts'
import { defineRoomTerminate } from './terminate.ts'
import { defineRoomUpdate } from './update.ts'
import { defineRoomWait } from './wait.ts'

export function defineRooms(rooms: MeetroomCommand, act: DefineAction): void {
  defineRoomList(rooms, act)
  defineRoomGet(rooms, act)
  defineRoomWait(rooms, act)
  defineRoomLink(rooms, act)
  defineRoomOpen(rooms, act)
  defineRoomCreate(rooms, act)
  defineRoomUpdate(rooms, act)
  defineRoomTerminate(rooms, act)
  defineRoomReopen(rooms, act)
  defineRoomDelete(rooms, act)
  defineRoomImport(rooms, act)
  defineRoomExport(rooms, act)
}
