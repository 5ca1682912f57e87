import { Option } from 'commander'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

export interface StateFlags {
  terminated?: boolean
  active?: boolean
}

/** Adds `--terminated` and `--active`, which mean a filter in a list and a change in an update. */
export function stateFlags(command: MeetroomCommand): MeetroomCommand {
  return command
    .addOption(new Option('--terminated', 'terminated').conflicts('active'))
    .addOption(new Option('--active', 'not terminated').conflicts('terminated'))
}

export const terminating = {
  verb: 'terminate',
  doing: 'terminating',
  get: ['getRoom', (id: string) => ({ params: { id } })],
} as const

/** What the flags say of whether a room is terminated. */
export function stateOf({ terminated, active }: StateFlags): { is_terminated: boolean | undefined } {
  return { is_terminated: terminated ? true : active ? false : undefined }
}

/** Whether a change terminates a room, whichever flag says so. */
export function terminates({ is_terminated }: { is_terminated?: unknown }): boolean {
  return is_terminated === true
}

/** Terminates or reopens one of several rooms. */
export const setTerminated = (is_terminated: boolean) =>
  ['updateRoom', (id: string) => ({ params: { id }, body: { is_terminated } })] as const
