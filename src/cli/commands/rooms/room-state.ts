import { Option } from 'commander'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument } from '../../names/arguments.ts'

export interface StateFlags {
  terminated?: boolean
  active?: boolean
}

/** Adds `--terminated` and `--active`, which filter lists and are deprecated in updates. */
export function addStateFlags(
  command: MeetroomCommand,
  words = { terminated: 'only terminated rooms', active: 'only active rooms' },
): MeetroomCommand {
  return command
    .addOption(new Option('--terminated', words.terminated).conflicts('active'))
    .addOption(new Option('--active', words.active).conflicts('terminated'))
}

export function readState({ terminated, active }: StateFlags): { is_terminated: boolean | undefined } {
  return { is_terminated: terminated ? true : active ? false : undefined }
}

export const roomTargets = { ids: createRoomsArgument(), list: 'listRooms', kind: 'room' } as const

export const termination = { verb: 'terminate', kind: 'room' } as const

export const setTerminated = (is_terminated: boolean) =>
  ['updateRoom', (id: string) => ({ params: { id }, body: { is_terminated } })] as const
