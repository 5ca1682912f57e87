import { Command, CommanderError, type ErrorOptions, Help, type Option } from 'commander'
import type { OperationName } from '../../api/endpoints.ts'
import type { Hint } from '../../errors.ts'
import type { Action } from './action.ts'
import type { Effect } from './effect.ts'

/** Help that hides aliases in lists of commands and in usage lines. */
export class PlainHelp extends Help {
  /** Lower than Commander's default of 40, because long flag names leave little room for descriptions. */
  override minWidthToWrap = 20

  override subcommandTerm(command: Command): string {
    // The arguments of a group are known only after it is loaded.
    if (!command.parent?.parent) return command.name()
    const names = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? `<${name}>` : `[${name}]`
    })
    return [command.name(), ...names].join(' ')
  }

  /** The root help lists selected flags itself. */
  #hidesFlags = false

  override formatHelp(command: Command, helper: Help): string {
    this.#hidesFlags = !command.parent
    return super.formatHelp(command, helper)
  }

  override visibleOptions(command: Command): Option[] {
    return this.#hidesFlags ? [] : super.visibleOptions(command)
  }

  override commandUsage(command: Command): string {
    const path: string[] = []
    for (let at: Command | null = command; at; at = at.parent) path.unshift(at.name())
    return `${path.join(' ')} ${command.usage()}`
  }
}

export function findCommand(group: Command, word: string): Command | undefined {
  return group.commands.find((known) => known.name() === word || known.aliases().includes(word))
}

/** Returns the words of a command: `['users', 'delete']`. */
export function commandPath(command: Command): string[] {
  return command.parent ? [...commandPath(command.parent), command.name()] : []
}

/** Returns the flags of a command and of its groups. */
export function listOptions({ options, parent }: Command): readonly Option[] {
  return parent ? [...options, ...listOptions(parent)] : options
}

export class CommandLineError extends CommanderError {
  constructor(
    readonly command: MeetroomCommand,
    code: string,
    message: string,
  ) {
    super(2, code, message)
  }
}

export class MeetroomCommand extends Command {
  effect: Effect | undefined

  /** Operation that a batch command applies to each item. */
  batchOperation: OperationName | undefined

  examples: readonly string[] = []

  surplusHint: Hint | undefined

  /** Supports `--all-profiles` although it does more than read from a service. */
  isForEachProfile = false

  override error(message: string, { code = 'commander.error' }: ErrorOptions = {}): never {
    throw new CommandLineError(this, code, message)
  }

  override createCommand(name?: string): MeetroomCommand {
    return new MeetroomCommand(name)
  }

  /** Sets the action of the command. An action without an effect does not compile. */
  override action(work: Action): this {
    this.effect = work.effect
    return super.action(work)
  }

  /** Returns an empty text, because Commander would suggest aliases. */
  override alias(): string
  override alias(name: string): this
  override alias(name?: string): this | string {
    return name === undefined ? '' : super.alias(name)
  }

  override createHelp(): Help {
    return Object.assign(new PlainHelp(), this.configureHelp())
  }
}
