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

export function defineRooms(rooms: MeetroomCommand): void {
  defineRoomList(rooms)
  defineRoomGet(rooms)
  defineRoomWait(rooms)
  defineRoomLink(rooms)
  defineRoomOpen(rooms)
  defineRoomCreate(rooms)
  defineRoomUpdate(rooms)
  defineRoomTerminate(rooms)
  defineRoomReopen(rooms)
  defineRoomDelete(rooms)
  defineRoomImport(rooms)
  defineRoomExport(rooms)
}
