import type { Command } from 'commander'
import { groupings } from '../attendance/groupings.ts'
import type { View } from '../output/views/views.ts'

/** Returns the view of a command that prints other rows than the resource of its group. */
export async function rowsOf(
  command: Command,
  flags: Readonly<Record<string, unknown>>,
): Promise<View | undefined> {
  const name = `${command.parent?.name()} ${command.name()}`
  if (command.name() === 'import') return (await import('../bulk/journal/results.ts')).resultView
  if (name === 'users rooms') return (await import('../lists/user-rooms.ts')).membershipView
  if (name === 'users offboard' || (flags['allRooms'] === true && /block$/.test(name)))
    return (await import('../commands/users/offboard/step.ts')).stepView('user_id')
  if (name !== 'sessions report') return undefined
  const by = groupings.find((known) => known === flags['by']) ?? 'user'
  return (await import('../commands/sessions/report/views.ts')).viewOf(by)
}
