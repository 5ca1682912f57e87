import { type Command, CommanderError } from 'commander'
import type { Act } from './cli/act.ts'
import { type Connect, Context, type GlobalFlags } from './cli/context.ts'
import { asForeseen } from './cli/output/errors.ts'
import { Printer } from './cli/output/printer.ts'
import { buildProgram, operandsOf } from './cli/program.ts'
import { isJson, reportError } from './cli/report.ts'
import { ClosedOutput, InterruptedError, type MeetroomError, UsageError } from './errors.ts'
import { type Host, processHost } from './host.ts'

/**
 * Runs one command line and returns its exit code. The only place that catches everything.
 * @param argv the words behind the program’s name
 * @param connect how to reach a service over the network; tests answer with the embedded one
 */
export async function main(
  argv: readonly string[],
  host: Host = processHost(),
  connect?: Connect,
): Promise<number> {
  const interruption = new AbortController()
  const stopListening = host.onSignal((signal) => {
    interruption.abort(new InterruptedError(signal))
    // A second signal ends the program at once, in the system’s own way.
    stopListening()
  })
  let context: Context | undefined
  try {
    let shown = ''
    const act: Act =
      (work) =>
      async (...args) => {
        // Commander hands over the positionals, the options and the command.
        const command = args.pop() as { optsWithGlobals(): GlobalFlags }
        context = new Context(host, command.optsWithGlobals(), interruption.signal, connect)
        await work(context, ...(args as never))
      }
    const operands = operandsOf(argv)
    const wanted = operands[0] === 'help' ? operands.slice(0, 2) : operands.slice(0, 1)
    const program = await buildProgram(
      host,
      act,
      (text) => {
        shown += text
      },
      wanted,
    )
    try {
      if (argv.length === 0) program.outputHelp()
      else await program.parseAsync([...argv], { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      if (error.code === 'commander.help') throw commandMissing(program, operands)
      if (error.exitCode !== 0) throw error
    }
    const printer = new Printer(host, {
      format: 'table',
      header: true,
      color: false,
      quiet: false,
    })
    await printer.write(shown)
    return 0
  } catch (cause) {
    if (cause instanceof ClosedOutput) return 0
    const error = interruption.signal.aborted ? interrupted(cause, interruption.signal) : foreseen(cause)
    await reportError(host, error, {
      ...flagsOf(argv, host),
      secrets: secretsOf(host, context),
    })
    return error.exitCode
  } finally {
    stopListening()
    await context?.close()
  }
}

function commandMissing(program: Command, [name]: readonly string[]): UsageError {
  const group = program.commands.find((known) => name && [known.name(), ...known.aliases()].includes(name))
  const verbs = group?.commands.map((command) => command.name()).join(', ')
  return new UsageError(`${name} needs a command: ${verbs}`, {
    hint: `see: meetroom ${name} --help`,
  })
}

function interrupted(cause: unknown, signal: AbortSignal): MeetroomError {
  return cause instanceof InterruptedError ? cause : (signal.reason as InterruptedError)
}

function foreseen(cause: unknown): MeetroomError {
  if (!(cause instanceof CommanderError)) return asForeseen(cause)
  // Commander puts its suggestion on a second line, in parentheses.
  const [message = '', suggestion] = cause.message.replace(/^error: /, '').split('\n')
  return new UsageError(message, {
    hint: suggestion?.replace(/^\(|\)$/g, '') ?? 'see --help',
  })
}

/** The flags that shape an error, also when the command line could not be read to its end. */
function flagsOf(argv: readonly string[], host: Host): { json: boolean; color: boolean; verbose: boolean } {
  const value = argv.findLast((_, i) => argv[i - 1] === '-o' || argv[i - 1] === '--output')
  const inline = argv.findLast((word) => /^(--output=|-o.)/.test(word))?.replace(/^(--output=|-o=?)/, '')
  const json = argv.includes('--json') || isJson(value ?? inline ?? host.env['MEETROOM_OUTPUT'])
  return {
    json,
    color: !argv.includes('--no-color'),
    verbose: argv.includes('--verbose'),
  }
}

function secretsOf(host: Host, context: Context | undefined): string[] {
  return [...(context?.secrets ?? []), host.env['MEETROOM_API_KEY'] ?? ''].filter((secret) => secret !== '')
}
