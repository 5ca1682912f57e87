import { version } from '../../version.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { own, visible } from '../output/terminal/visible.ts'

export function defineVersion(command: MeetroomCommand): void {
  command.act('machine', (context) => context.plainPrinter().write(own`${visible(version)}\n`))
  command.addExamples('meetroom version')
}
