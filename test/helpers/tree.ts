import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/commands/program.ts'
import { testHost } from './host.ts'

/** Builds the command tree with actions that do nothing. */
export function wholeProgram(): Promise<Command> {
  return buildProgram(
    testHost(),
    () => async () => {},
    () => {},
    'all',
  )
}

/** Returns every command without subcommands, and the words that call the command. */
export async function leaves(): Promise<{ words: string[]; command: Command }[]> {
  const walk = (command: Command, words: string[]): { words: string[]; command: Command }[] =>
    command.commands.length === 0
      ? [{ words, command }]
      : command.commands.flatMap((child) => walk(child, [...words, child.name()]))
  return walk(await wholeProgram(), [])
}

/** Formats an argument like the help: `<room>`, `[topic...]`. */
export function argumentTerm(argument: Command['registeredArguments'][number]): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}
