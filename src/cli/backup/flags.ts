import type { Command } from 'commander'

/** Adds the flags of what deletes. Which of them counts, `Context` finds out, for every command alike. */
export function saveFlags<C extends Command>(command: C): C {
  return command
    .option('--save <file>', 'write what is deleted to this new file first, for import to bring back')
    .option('--no-save', 'delete without saving, whatever the settings say')
}
