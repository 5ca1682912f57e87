import { version } from '../../version.ts'
import type { Act } from '../action.ts'
import { examples } from '../flags.ts'
import type { MeetroomCommand } from '../meetroom-command.ts'
import { own, visible } from '../output/visible.ts'

export function defineVersion(command: MeetroomCommand, act: Act): void {
  command.action(act('machine', (context) => context.plainPrinter().write(own`${visible(version)}\n`)))
  examples(command, 'meetroom version')
}
