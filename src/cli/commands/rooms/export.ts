import { addConcurrencyFlag } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument } from '../../names/arguments.ts'
import { defineExport } from '../shared/export.ts'

export function defineRoomExport(rooms: MeetroomCommand): void {
  const command = defineExport(rooms, {
    kind: 'rooms',
    flags: (command) => command.addArgument(createRoomsArgument('export these rooms: ')),
    examples: ['meetroom rooms export > rooms.csv'],
  })
  addConcurrencyFlag(command, { words: 'number of concurrent requests that read one room each' })
}
