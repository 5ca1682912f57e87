import { setMaxListeners } from 'node:events'
import { type Command, CommanderError } from 'commander'
import { buildProgram } from './cli/commands/program.ts'
import { checkIds } from './cli/input/id-arguments.ts'
import type { DefineAction } from './cli/kernel/action.ts'
import { type CommandLine, readCommandLine } from './cli/kernel/command-line.ts'
import { Context } from './cli/kernel/context.ts'
import type { Effect } from './cli/kernel/effect.ts'
import { MeetroomCommand } from './cli/kernel/meetroom-command.ts'
import { resolveRooms } from './cli/lists/room-arguments.ts'
import { isJson, reportError } from './cli/output/error.ts'
import { Printer } from './cli/output/printer.ts'
import { createRedactor, type Redact } from './cli/output/redaction/redact.ts'
import { isAsciiOnly, toAscii } from './cli/output/terminal/unicode.ts'
import { visibleLines } from './cli/output/terminal/visible.ts'
import type { Backup } from './cli/requests/backup.ts'
import { RequestShown } from './cli/requests/before-send.ts'
import type { Connect } from './cli/requests/service.ts'
import type { Called } from './cli/usage/explain.ts'
import {
  ClosedOutput,
  exhaustedHandlesError,
  InterruptedError,
  type MeetroomError,
  NotFoundError,
  suggestHelp,
  toMeetroomError,
  UsageError,
} from './errors.ts'
import { type Host, processHost } from './host.ts'

const aboutAll: ReadonlySet<string> = new Set(['commands', 'schema'])

/** Runs one command line and returns its exit code. Catches every error. */
export async function main(
  argv: readonly string[],
  machine: Host = processHost(),
  connect?: Connect,
): Promise<number> {
  const line = readCommandLine(argv, machine.env)
  const host: Host = line.ascii ? Object.create(machine, { ascii: { value: true } }) : machine
  const interruption = new AbortController()
  // Every request listens, and Node warns about more than ten listeners.
  setMaxListeners(0, interruption.signal)
  const stopListening = host.onSignal((signal) => {
    // A second signal ends the program. Deferred, because a prompt must restore the terminal first.
    queueMicrotask(() => stopListening())
    interruption.abort(new InterruptedError(signal))
  })
  let context: Context | undefined
  let program: MeetroomCommand | undefined
  let called: Called | undefined
  try {
    let shown = ''
    const act: DefineAction = <A extends unknown[]>(
      effect: Effect,
      work: (context: Context, ...args: A) => Promise<void>,
    ) =>
      Object.assign(
        async (...args: unknown[]) => {
          // Commander passes positionals, options and the command.
          const command = args.pop() as Command
          called = {
            names: command.registeredArguments.map((argument) => argument.name()),
            given: args.slice(0, -1).flat().filter(isText),
            argv,
            words: line.operands.slice(0, wordsOf(command).split(' ').length),
          }
          context = new Context(host, {
            flags: command.optsWithGlobals(),
            command: wordsOf(command),
            interrupt: interruption.signal,
            connect,
            openSaver,
          })
          await context.permit(effect, effect === 'reads' || isForEachProfile(command))
          const checked = checkIds(command, args)
          const run = async (each: Context) =>
            work(each, ...((await resolveRooms(each, command, checked)) as A))
          if (!context.flags.allProfiles) return run(context)
          const { runOnAllProfiles } = await import('./cli/kernel/all-profiles.ts')
          await runOnAllProfiles(context, checked, run, connect)
        },
        { effect },
      )
    if (line.problem) throw line.problem
    const { operands } = line
    const [first = ''] = operands
    const wanted = aboutAll.has(first) ? 'all' : operands.slice(0, first === 'help' ? 2 : 1)
    const write = (text: string) => {
      shown += text
    }
    program = await buildProgram(host, act, write, wanted)
    try {
      if (argv.length === 0) program.outputHelp()
      else await program.parseAsync([...line.argv], { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      if (error.exitCode !== 0)
        throw error.code === 'commander.help' ? commandMissing(program, operands) : error
    }
    const options = { format: 'table', header: true, color: false, quiet: false } as const
    const printer = new Printer(host, options, redactorOf(host, context))
    // From here on, nothing can be interrupted.
    stopListening()
    const help = visibleLines(shown)
    await printer.data(isAsciiOnly(host) ? toAscii(help) : shown, visibleLines)
    return 0
  } catch (cause) {
    if (cause instanceof ClosedOutput || cause instanceof RequestShown) return 0
    const error = interruption.signal.aborted
      ? interrupted(cause, interruption.signal)
      : cause instanceof CommanderError
        ? (await import('./cli/usage/usage-error.ts')).explainUsage(cause, { ...line, typed: argv }, program)
        : await explainError(foreseen(cause), context, called)
    await reportError(host, error, reportSettings(line, host, context))
    return error.exitCode
  } finally {
    stopListening()
    await context?.close()
  }
}

const isText = (word: unknown): word is string => typeof word === 'string'

function isForEachProfile(command: Command): boolean {
  return command instanceof MeetroomCommand && command.isForEachProfile
}

function wordsOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${wordsOf(parent)} ${command.name()}` : command.name()
}

/** Loads the backup module only when flags or settings need it. */
async function openSaver(context: Context): Promise<Backup | undefined> {
  const { save } = context.flags
  if (save === false) return undefined
  const { saveDeleted } = await context.settings()
  if (save === undefined && !saveDeleted) return undefined
  const { createBackup } = await import('./cli/backup/backup.ts')
  return createBackup(context, save === undefined ? { dir: saveDeleted?.value ?? '' } : { file: save })
}

function commandMissing(program: Command, [name]: readonly string[]): UsageError {
  const group = program.commands.find((known) => name && [known.name(), ...known.aliases()].includes(name))
  if (!group) return new UsageError('no command given', { hint: ['see: ', suggestHelp()] })
  const verbs = group.commands.map((command) => command.name()).join(', ')
  return new UsageError(`${name} needs a command: ${verbs}`, {
    hint: ['see: ', suggestHelp(group.name())],
  })
}

function interrupted(cause: unknown, signal: AbortSignal): MeetroomError {
  return cause instanceof InterruptedError ? cause : (signal.reason as InterruptedError)
}

/** Adds findings of further requests to an error. Never fails. */
async function explainError(
  error: MeetroomError,
  context: Context | undefined,
  called: Called | undefined,
): Promise<MeetroomError> {
  if (!context || !called || !(error instanceof NotFoundError)) return error
  const { explainMissing } = await import('./cli/usage/explain.ts')
  return explainMissing(error, context, called)
}

function foreseen(cause: unknown): MeetroomError {
  return toSystemError(cause) ?? toMeetroomError(cause)
}

function toSystemError(cause: unknown): MeetroomError | undefined {
  const handles = exhaustedHandlesError(cause)
  if (handles) return handles
  const { syscall } = Object(cause) as NodeJS.ErrnoException
  if (syscall === 'uv_cwd')
    return new UsageError('the working folder does not exist any more', { hint: 'cd into one that exists' })
}

/** Collects the output settings of errors, also for an unfinished command line. */
function reportSettings(line: CommandLine, host: Host, context: Context | undefined) {
  const guessed = line.json ? 'json' : (line.output ?? host.env['MEETROOM_OUTPUT'])
  return {
    json: isJson(context?.format ?? guessed),
    color: line.color,
    verbose: line.verbose,
    redact: redactorOf(host, context),
    target: context?.target ?? line.target,
  }
}

/** Without a context, only the key of the environment is known. */
function redactorOf(host: Host, context: Context | undefined): Redact {
  return context?.redact ?? createRedactor([host.env['MEETROOM_API_KEY']?.trim() ?? ''])
}
