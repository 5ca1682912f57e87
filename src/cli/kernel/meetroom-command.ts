import { Command, CommanderError, type ErrorOptions, Help, type Option } from 'commander'
import type { OperationName } from '../../api/endpoints.ts'
import type { Hint } from '../../errors.ts'
import type { Action } from './action.ts'
import type { Effect } from './effect.ts'

/** Shows neither aliases in lists of commands nor two names in a usage line. */
export class PlainHelp extends Help {
  /** Flags with long names leave little, and half a line is better than one that runs over. */
  override minWidthToWrap = 20

  override subcommandTerm(command: Command): string {
    // The arguments of a group are known only once it is loaded.
    if (!command.parent?.parent) return command.name()
    const names = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? `<${name}>` : `[${name}]`
    })
    return [command.name(), ...names].join(' ')
  }

  /** Whether the flags are left out: the help of the program lists a few of them itself, below the commands. */
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

/** A command line that cannot be run. */
export class CommandLineError extends CommanderError {
  /** @param command the command that it was read for */
  constructor(
    readonly command: MeetroomCommand,
    code: string,
    message: string,
  ) {
    super(2, code, message)
  }
}

/** A command of ours: knows what it does, and hides its aliases. */
export class MeetroomCommand extends Command {
  /** Undefined for groups, which do nothing themselves. */
  effect: Effect | undefined

  /** The operation that it does to each of several items. */
  overMany: OperationName | undefined

  /** Command lines that show how it is used. */
  examples: readonly string[] = []

  /** What to do about more arguments than the command takes. */
  surplusHint: Hint | undefined

  /** Runs for each profile with --all-profiles, although it does not only read from a service. */
  isForEachProfile = false

  override error(message: string, { code = 'commander.error' }: ErrorOptions = {}): never {
    throw new CommandLineError(this, code, message)
  }

  override createCommand(name?: string): MeetroomCommand {
    return new MeetroomCommand(name)
  }

  /** Every command says what it does: an action that was not made by `Act` does not compile. */
  override action(work: Action): this {
    this.effect = work.effect
    return super.action(work)
  }

  /** Commander offers aliases as suggestions; ours are hidden. */
  override alias(): string
  override alias(name: string): this
  override alias(name?: string): this | string {
    return name === undefined ? '' : super.alias(name)
  }

  override createHelp(): Help {
    return Object.assign(new PlainHelp(), this.configureHelp())
  }
}
