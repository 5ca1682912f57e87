import { version } from '../../version.ts'
import type { DefineAction } from '../kernel/action.ts'
import { addExamples } from '../kernel/flags.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { own, visible } from '../output/terminal/visible.ts'

export function defineVersion(command: MeetroomCommand, act: DefineAction): void {
  command.action(act('machine', (context) => context.plainPrinter().write(own`${visible(version)}\n`)))
  addExamples(command, 'meetroom version')
}
