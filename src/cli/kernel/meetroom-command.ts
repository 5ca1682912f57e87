import {
  Command,
  CommanderError,
  type ErrorOptions,
  Help,
  Option,
  type OptionValueSource,
  type ParseOptionsResult,
} from 'commander'
import type { OperationName } from '../../api/endpoints.ts'
import type { Hint } from '../../errors.ts'
import type { Context } from './context.ts'
import type { Effect } from './effect.ts'

export class PlainHelp extends Help {
  /** In columns. Commander's default of 40 is too wide beside long flag names. */
  override minWidthToWrap = 20

  override subcommandTerm(command: Command): string {
    // Commands of a group are loaded later, so a group has no known arguments yet.
    if (!command.parent?.parent) return command.name()
    const names = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? `<${name}>` : `[${name}]`
    })
    return [command.name(), ...names].join(' ')
  }

  /** Replaces Commander's description of the implicit command `help`. */
  override subcommandDescription(command: Command): string {
    return command.name() === 'help' ? 'Print the help of a command' : super.subcommandDescription(command)
  }

  /** True for the root help, which prints its own selection of flags. */
  #hidesFlags = false

  override formatHelp(command: Command, helper: Help): string {
    this.#hidesFlags = !command.parent
    return super.formatHelp(command, helper)
  }

  override visibleOptions(command: Command): Option[] {
    return this.#hidesFlags ? [] : super.visibleOptions(command)
  }

  /** Omits the former name of a flag, as in `--type, --role <role>`. */
  override optionTerm(option: Option): string {
    return option.flags.replace(/^--[\w-]+, /, '')
  }

  /** Omits Commander's note of the default if the description contains the default. */
  override optionDescription(option: Option): string {
    if (!option.description.includes('(default: ')) return super.optionDescription(option)
    const { flags, description, argChoices } = option
    const choices = argChoices ? { argChoices } : {}
    return super.optionDescription(Object.assign(new Option(flags, description), choices))
  }

  override styleTitle(title: string): string {
    return title === 'Options:' ? 'Flags:' : title
  }

  override commandUsage(command: Command): string {
    const path: string[] = []
    for (let at: Command | null = command; at; at = at.parent) path.unshift(at.name())
    return `${path.join(' ')} ${command.usage().replace('[options]', '[flags]')}`
  }
}

export function findCommand(group: Command, word: string): Command | undefined {
  return group.commands.find((known) => known.name() === word || known.aliases().includes(word))
}

export function findSubcommand(root: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>((command, word) => command && findCommand(command, word), root)
}

export function commandPath(command: Command): string[] {
  return command.parent ? [...commandPath(command.parent), command.name()] : []
}

export function listOptions({ options, parent }: Command): readonly Option[] {
  // A command can redefine an inherited flag.
  const inherited = parent ? listOptions(parent) : []
  return [...options, ...inherited.filter(({ long }) => options.every((own) => own.long !== long))]
}

/** Joins `true` or `false` to a preceding boolean flag, as in `--online=true`. */
export function joinBooleans(words: readonly string[], options: readonly Option[]): string[] {
  const end = [...words, '--'].indexOf('--')
  const isJoined = (word: string, i: number) =>
    i > 0 &&
    i < end &&
    /^(true|false)$/i.test(word) &&
    options.some((option) => option.isBoolean() && words[i - 1] === option.long)
  return words.flatMap((word, i) => {
    if (isJoined(word, i)) return []
    const next = words[i + 1]
    return [next !== undefined && isJoined(next, i + 1) ? `${word}=${next}` : word]
  })
}

/** Creates the action of a command for Commander. */
export type DefineAction = <A extends unknown[]>(
  effect: Effect,
  work: (context: Context, ...args: A) => Promise<void>,
) => (...args: unknown[]) => Promise<void>

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

  /** Operation that the command performs for each of several items. */
  targetsOperation: OperationName | undefined

  /** Condition under which `--where` selects rooms for a command of another resource. */
  selectsRooms: 'always' | 'without arguments' | undefined

  examples: readonly string[] = []

  readonly #defineAction: DefineAction
  surplusHint: ((surplus: readonly string[]) => Hint | undefined) | undefined

  /** True if the command supports `--all-profiles` although its effect is not `reads`. */
  isForEachProfile = false

  constructor(name: string | undefined, defineAction: DefineAction) {
    super(name)
    this.#defineAction = defineAction
  }

  override error(message: string, { code = 'commander.error' }: ErrorOptions = {}): never {
    throw new CommandLineError(this, code, message)
  }

  /** Reports a missing argument that only some flags make optional. */
  missingArgument(name: string): never {
    return this.error(`error: missing required argument '${name}'`, { code: 'commander.missingArgument' })
  }

  /**
   * Refuses a different second value of flags whose values users expect to combine, because one value would
   * be lost.
   */
  override setOptionValueWithSource(key: string, value: unknown, source: OptionValueSource): this {
    const before: unknown = this.getOptionValue(key)
    if (
      ['as', 'columns', 'sort', 'query', 'allowEmbed'].includes(key) &&
      before !== undefined &&
      before !== value
    ) {
      const option = this.options.find((each) => each.attributeName() === key)
      this.error(`error: option '${option?.long}' given twice`, { code: 'meetroom.repeatedOption' })
    }
    return super.setOptionValueWithSource(key, value, source)
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    this.#refuseFlagAsValue(words)
    return super.parseOptions(joinBooleans(words, this.options))
  }

  /** Refuses `--html --absent`, which lacks a value. `--name=--absent` is accepted. */
  #refuseFlagAsValue(words: readonly string[]): void {
    const isFlag = (word = '') => /^--[a-z]/.test(word)
    const end = [...words, '--'].indexOf('--')
    for (let i = 0; i < end - 1; i++) {
      const option =
        isFlag(words[i]) && isFlag(words[i + 1])
          ? this.options.find(({ long }) => words[i] === long)
          : undefined
      if (option?.required)
        this.error(`error: option '${option.flags}' argument missing`, {
          code: 'commander.optionMissingArgument',
        })
    }
  }

  override createCommand(name?: string): MeetroomCommand {
    return new MeetroomCommand(name, this.#defineAction)
  }

  /** Sets the action of the command, and its effect. */
  act<A extends unknown[]>(effect: Effect, work: (context: Context, ...args: A) => Promise<void>): this {
    this.effect = effect
    return this.action(this.#defineAction(effect, work))
  }

  /** Sets an action whose module is loaded when the command runs, to keep other commands fast. */
  actLater<A extends unknown[]>(
    effect: Effect,
    load: () => Promise<(context: Context, ...args: A) => Promise<void>>,
  ): this {
    return this.act<A>(effect, async (context, ...args) => (await load())(context, ...args))
  }

  addExamples(...lines: readonly string[]): this {
    this.examples = lines
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
  }

  /** Returns an empty text to Commander, which would otherwise suggest aliases. */
  override alias(): string
  override alias(name: string): this
  override alias(name?: string): this | string {
    return name === undefined ? '' : super.alias(name)
  }

  override createHelp(): Help {
    return Object.assign(new PlainHelp(), this.configureHelp())
  }
}
