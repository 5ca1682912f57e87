import { setMaxListeners } from 'node:events'
import { type Command, CommanderError } from 'commander'
import { buildProgram } from './cli/commands/program.ts'
import { checkIds } from './cli/input/id-arguments.ts'
import { type CommandLine, readCommandLine } from './cli/kernel/command-line.ts'
import { Context, type ContextSetup } from './cli/kernel/context.ts'
import { type Effect, isHarmless } from './cli/kernel/effect.ts'
import {
  commandPath,
  type DefineAction,
  findCommand,
  findSubcommand,
  MeetroomCommand,
} from './cli/kernel/meetroom-command.ts'
import { checkProfiles } from './cli/kernel/profile.ts'
import type { CalledCommand } from './cli/mistakes/intended.ts'
import { resolveNames } from './cli/names/arguments.ts'
import { Printer } from './cli/output/printer.ts'
import { createRedactor, type Redact } from './cli/output/redaction/redaction.ts'
import { isAsciiOnly, toAscii } from './cli/output/terminal/unicode.ts'
import { visibleLines } from './cli/output/terminal/visible.ts'
import type { Backup } from './cli/requests/backup.ts'
import { RequestPreview } from './cli/requests/before-send.ts'
import { explainVariables, findTarget } from './cli/requests/command-settings.ts'
import type { Connect } from './cli/requests/running-command.ts'
import {
  ClosedOutput,
  InterruptedError,
  MeetroomError,
  NotFoundError,
  OutputError,
  PartialError,
  suggest,
  suggestHelp,
  toMeetroomError,
  UsageError,
} from './errors.ts'
import { toExhaustedHandlesError } from './files/system-error.ts'
import { createProcessHost, type Host } from './host.ts'

const allGroupCommands: ReadonlySet<string> = new Set(['commands', 'schema'])

/** Runs a command line, reports its error, and returns the exit code. */
export async function main(
  argv: readonly string[],
  machine: Host = createProcessHost(),
  connect?: Connect,
): Promise<number> {
  const line = readCommandLine(argv)
  const host: Host = line.ascii ? Object.create(machine, { ascii: { value: true } }) : machine
  const interruption = new AbortController()
  // Every request adds a listener, and Node warns about more than ten.
  setMaxListeners(0, interruption.signal)
  const stopListening = host.onSignal((signal) => {
    // Deferred, so that a prompt restores the terminal before a second signal can end the program.
    queueMicrotask(() => stopListening())
    interruption.abort(new InterruptedError(signal))
  })
  const run: Run = {}
  try {
    const request = { argv, line, host, connect, interrupt: interruption.signal }
    const helpText = await runCommandLine(request, run)
    const options = { format: 'table', header: true, color: false, quiet: false } as const
    const printer = new Printer(host, options, createErrorRedactor(host, run.context))
    // Only output remains, so a signal now ends the program immediately.
    stopListening()
    const help = visibleLines(helpText)
    await printer.data(isAsciiOnly(host) ? toAscii(help) : helpText, visibleLines)
    return 0
  } catch (cause) {
    if (cause instanceof ClosedOutput || cause instanceof RequestPreview) return 0
    const error = interruption.signal.aborted
      ? toInterruptedError(cause, interruption.signal)
      : nameChanges(await explainError(toExpectedError(cause), run, host, line), run.context)
    const { reportError } = await import('./cli/output/error.ts')
    await reportError(host, error, await reportSettings(line, host, run.context))
    return error.exitCode
  } finally {
    stopListening()
    await run.context?.close()
  }
}

interface Run {
  context?: Context
  /** Undefined until the program is built. Lacks the arguments until Commander calls a command. */
  calledCommand?: CalledCommand
}

interface RunRequest extends Pick<ContextSetup, 'host' | 'interrupt' | 'connect'> {
  argv: readonly string[]
  line: CommandLine
  /** Constructor of the context. A `TrialContext` stops before the first effect of a command. */
  createContext?: (setup: ContextSetup) => Context
}

/** Runs a command line. Returns the requested help or version, otherwise an empty text. */
async function runCommandLine(request: RunRequest, run: Run): Promise<string> {
  const { argv, line, createContext = (setup) => new Context(setup), ...machine } = request
  let helpText = ''
  const defineAction: DefineAction =
    <A extends unknown[]>(effect: Effect, work: (context: Context, ...args: A) => Promise<void>) =>
    async (...args: unknown[]) => {
      // Commander passes the operands, the flags and the command.
      const command = args.pop() as Command
      run.calledCommand = {
        names: command.registeredArguments.map((argument) => argument.name()),
        given: args.slice(0, -1).flat().filter(isText),
        argv,
        program: root,
      }
      const context = createContext({
        ...machine,
        flags: command.optsWithGlobals(),
        command: commandPath(command).join(' '),
        openBackup,
        readList: readListOf,
      })
      run.context = context
      const warning = await explainVariables(machine.host)
      if (warning !== undefined) await context.plainPrinter().notice(warning)
      await context.requireAllowedFlags(effect, effect === 'reads' || isForEachProfile(command))
      const checked = checkIds(command, args)
      await checkProfiles(context, command, args)
      const looksUpNames = context.start(effect)
      const workOn = async (each: Context) =>
        work(each, ...((looksUpNames ? await resolveNames(each, command, checked) : checked) as A))
      if (!context.flags.allProfiles) return workOn(context)
      const { runOnAllProfiles } = await import('./cli/kernel/all-profiles.ts')
      await runOnAllProfiles(context, checked, workOn)
    }
  const { operands } = line
  const [first = ''] = operands
  const wanted = allGroupCommands.has(first) ? 'all' : operands.slice(0, first === 'help' ? 2 : 1)
  const write = (text: string) => {
    helpText += text
  }
  const root = await buildProgram(machine.host, defineAction, write, wanted)
  run.calledCommand = { names: [], given: [], argv, program: root }
  try {
    if (argv.length === 0) root.outputHelp()
    else await root.parseAsync([...line.argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) {
      if (error.code === 'commander.help') {
        const [group = '', verb, ...names] = operands
        if (verb !== 'help') throw missingCommandError(root, operands)
        helpText = ''
        const explained = findSubcommand(root, [group, ...names])
        if (!explained) {
          const words = ['help', group, ...names]
          return runCommandLine({ ...request, argv: words, line: readCommandLine(words) }, run)
        }
        explained.outputHelp()
        return helpText
      }
      throw (await import('./cli/mistakes/usage-error.ts')).explainUsage(error, argv, root, machine.host)
    }
  }
  return helpText
}

const isText = (word: unknown): word is string => typeof word === 'string'

function isForEachProfile(command: Command): boolean {
  return command instanceof MeetroomCommand && command.isForEachProfile
}

async function openBackup(context: Context): Promise<Backup | undefined> {
  const { save } = context.flags
  if (save === false) return undefined
  const { saveDeleted } = await context.settings()
  if (save === undefined && !saveDeleted) return undefined
  const { FileBackup } = await import('./cli/backup/backup.ts')
  return new FileBackup(context, save === undefined ? { dir: saveDeleted?.value ?? '' } : { file: save })
}

const readListOf: ContextSetup['readList'] = async function* (context, client, name, input) {
  const { readList } = await import('./cli/lists/read-list.ts')
  for await (const { items } of readList(context, name, input, { all: true, client })) yield items
}

function missingCommandError(program: Command, [name, ...words]: readonly string[]): UsageError {
  const group = name ? findCommand(program, name) : undefined
  if (!group) return new UsageError('no command given', { hint: ['see: ', suggestHelp()] })
  const [only, ...others] = group.commands
  const isVisible = program.createHelp().visibleCommands(program).includes(group)
  if (isVisible && only instanceof MeetroomCommand && others.length === 0 && isHarmless(only.effect ?? 'any'))
    return new UsageError(`${name} needs a command: ${only.name()}`, {
      hint: ['did you mean: ', suggest([group.name(), only.name(), ...words])],
    })
  const verbs = group.commands.map((command) => command.name()).join(', ')
  return new UsageError(`${name} needs a command: ${verbs}`, {
    hint: ['see: ', suggestHelp(group.name(), ...words)],
  })
}

function toInterruptedError(cause: unknown, signal: AbortSignal): MeetroomError {
  return cause instanceof InterruptedError ? cause : (signal.reason as InterruptedError)
}

/** Finds a better hint for an invalid value or, with requests, for a missing item. */
async function explainError(
  error: MeetroomError,
  run: Run,
  host: Host,
  line: CommandLine,
): Promise<MeetroomError> {
  const { context, calledCommand } = run
  if ((error instanceof UsageError || error.correction || error.lineEdit) && calledCommand) {
    const { explainValue } = await import('./cli/mistakes/usage-error.ts')
    const { correctSuggestion } = await import('./cli/mistakes/trial.ts')
    return correctSuggestion(explainValue(error, calledCommand), calledCommand, (argv) =>
      findMistake(argv, host, line.selection),
    )
  }
  if (!context || !calledCommand) return error
  if (!(error instanceof NotFoundError)) return error
  const { explainMissing } = await import('./cli/mistakes/explain.ts')
  return explainMissing(error, context, calledCommand)
}

/**
 * Finds the mistake of a suggested command line, without any effect; undefined if none is found.
 * @param selection flags that select the service, which the output adds to the suggestion
 */
async function findMistake(
  argv: readonly string[],
  machine: Host,
  selection: CommandLine['selection'],
): Promise<MeetroomError | undefined> {
  const { createTrialHost, TrialContext } = await import('./cli/mistakes/trial.ts')
  const run: Run = {}
  try {
    const host = createTrialHost(machine)
    const createContext = (setup: ContextSetup) => new TrialContext(setup, machine, selection)
    const interrupt = new AbortController().signal
    await runCommandLine({ argv, line: readCommandLine(argv), host, interrupt, createContext }, run)
  } catch (error) {
    if (!(error instanceof MeetroomError) || !run.calledCommand) return undefined
    return (await import('./cli/mistakes/usage-error.ts')).explainValue(error, run.calledCommand)
  } finally {
    await run.context?.close()
  }
}

/** Exit codes that `nameChanges` keeps, because data may have changed. */
const undecided: ReadonlySet<number> = new Set([7, 8, 70])

/** Adds earlier changes to an error, unless the error is `undecided`. */
function nameChanges(error: MeetroomError, context: Context | undefined): MeetroomError {
  const done = context?.changes.describe()
  if (done === undefined || undecided.has(error.exitCode)) return error
  if (error instanceof OutputError) return error.after(done)
  const { message, hint, status, request, body, requestId, cause } = error
  const details = { hint, status, request, body, requestId, cause }
  return new PartialError(`${done.text}, but a later step failed: ${message}`, details)
}

function toExpectedError(cause: unknown): MeetroomError {
  return toSystemError(cause) ?? toMeetroomError(cause)
}

function toSystemError(cause: unknown): MeetroomError | undefined {
  const handles = toExhaustedHandlesError(cause)
  if (handles) return handles
  const { syscall } = Object(cause) as NodeJS.ErrnoException
  if (syscall === 'uv_cwd')
    return new UsageError('the current directory no longer exists', {
      hint: 'change to a directory that exists',
    })
}

/** Collects the settings for printing errors, even if the command line could not be parsed. */
async function reportSettings(line: CommandLine, host: Host, context: Context | undefined) {
  const isJson = line.json || (line.hasQuery && line.output !== 'tsv' && !host.stderr.isTTY)
  const expectedFormat = isJson ? 'json' : (line.output ?? host.env['MEETROOM_OUTPUT'])
  return {
    format: context?.errorFormat ?? expectedFormat,
    color: line.color,
    verbose: line.verbose,
    redact: createErrorRedactor(host, context),
    target: await (context?.target() ?? findTarget(host, line.selection)),
  }
}

/** Without a context, only the key in the environment is known. */
function createErrorRedactor(host: Host, context: Context | undefined): Redact {
  return context?.redact ?? createRedactor([host.env['MEETROOM_API_KEY']?.trim() ?? ''])
}
