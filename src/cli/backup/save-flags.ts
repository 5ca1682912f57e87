import type { Command } from 'commander'

export function saveFlags<C extends Command>(
  command: C,
  save = 'save the records to this new file before they are deleted; an import restores them',
): C {
  return command
    .option('--save <file>', save)
    .option('--no-save', 'delete without saving, regardless of the settings')
}
