import type { Command } from 'commander'

/** Adds the `--save` and `--no-save` flags of commands that delete. */
export function saveFlags<C extends Command>(command: C): C {
  return command
    .option('--save <file>', 'write what is deleted to this new file first, for import to bring back')
    .option('--no-save', 'delete without saving, whatever the settings say')
}
