import type { Command } from 'commander'
import { omitUndefined } from '../../api/defined.ts'
import type { Client } from '../../client/client.ts'
import type { SelectionFlags } from '../../config/selection.ts'
import type { Settings } from '../../config/settings.ts'
import type { StoredConfig } from '../../config/stored-file.ts'
import { type Hint, type MeetroomError, Suggestion, suggest, suggestHelp } from '../../errors.ts'
import type { Host, Output } from '../../host.ts'
import { Context, type ContextSetup } from '../kernel/context.ts'
import { type Effect, mayWrite, sendsRequests } from '../kernel/effect.ts'
import { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { refuseFlags } from '../kernel/refuse-flags.ts'
import { RoomArgument } from '../names/arguments.ts'
import { toCommandLine } from '../output/hint-text.ts'
import { listOperands, splitLine } from './typed.ts'

/** Error that stops a trial before a command uses the machine or a service. */
class TrialEnd extends Error {}

function endTrial(): never {
  throw new TrialEnd('the trial ends here')
}

const readable: ReadonlySet<string | symbol> = new Set(['ascii', 'now', 'platform'])

/** Creates a host whose effects and file reads end the trial. */
export function createTrialHost(host: Host): Host {
  const output: Output = { isTTY: false, columns: undefined, write: endTrial }
  const inert: Partial<Host> = { env: {}, stdout: output, stderr: output }
  return new Proxy(host, {
    get: (target, name) =>
      Reflect.get(inert, name) ?? (readable.has(name) ? Reflect.get(target, name) : endTrial()),
  })
}

/** Settings that a trial reads, and the property that `await` reads. */
const readSettings: ReadonlySet<string | symbol> = new Set([
  ...['output', 'timeZone', 'local', 'baseUrl', 'then'],
])

/** Context in which a command checks its arguments and flags, but has no effect. */
export class TrialContext extends Context {
  readonly #run: Context

  /**
   * @param host host of the run, whose settings the trial reads
   * @param selection flags that select a service, unless the flags of the trial do
   */
  constructor(setup: ContextSetup, host: Host, selection: SelectionFlags) {
    super({ ...setup, connect: endTrial })
    const { profile, baseUrl, local } = setup.flags
    const isSelected = profile !== undefined || baseUrl !== undefined || local === true
    this.#run = new Context({
      ...setup,
      host,
      flags: { ...setup.flags, ...(isSelected ? {} : omitUndefined({ ...selection })) },
    })
    this.#run.expectNewProfile()
  }

  /** Returns settings that commands check. Other settings end the trial. */
  override async settings(): Promise<Settings> {
    return new Proxy(await this.#run.settings(), {
      get: (target, name) => (readSettings.has(name) ? Reflect.get(target, name) : endTrial()),
    })
  }

  override storedConfig(): Promise<StoredConfig> {
    return this.#run.storedConfig()
  }

  override client(): Promise<Client> {
    return endTrial()
  }

  override async requireAllowedFlags(effect: Effect, isForEachProfile = effect === 'reads'): Promise<void> {
    refuseFlags(this, effect, isForEachProfile)
  }

  /** Ends the trial of a command that may have effects without a request. */
  override start = (effect: Effect): boolean => !sendsRequests(effect) && endTrial()
}

/** Maximum number of mistakes to correct in a suggested command. */
const maxMistakes = 5

/**
 * Corrects a suggestion repeatedly, because each suggestion may correct only one mistake.
 * A suggestion keeps a typed `--dry-run`.
 */
export async function correctSuggestion(
  error: MeetroomError,
  { program, argv: typed }: { program: Command; argv: readonly string[] },
  findMistake: (argv: readonly string[]) => Promise<MeetroomError | undefined>,
): Promise<MeetroomError> {
  error.hint = error.hint && fitRooms(error.hint, program)
  const first = findCorrection(error.hint)
  if (first && isSameLine(program, toCommandLine(first), typed)) {
    error.hint = ['see: ', suggestHelp(...splitLine(program, typed).words)]
    return error
  }
  let corrected = first
  let left: MeetroomError | undefined
  for (let mistakes = 0; corrected; mistakes++) {
    const mistake = await findMistake(toCommandLine(corrected))
    if (!mistake) break
    left = mistake
    corrected = mistakes < maxMistakes ? findCorrection(mistake.hint) : undefined
  }
  const preview = typed.indexOf('--dry-run')
  const isPreview = preview >= 0 && !/^(false|no|off|0)$/i.test(typed[preview + 1] ?? '')
  if (corrected && isPreview) corrected = toPreview(corrected, program)
  if (!first || corrected === first) return error
  const replace = (part: Hint): Hint => (part === first && corrected ? corrected : part)
  error.hint = corrected
    ? [error.hint ?? []].flat().map(replace)
    : [
        left?.message === error.message ? '' : `also, ${left?.message}; `,
        ...(typeof left?.hint === 'string'
          ? [left.hint]
          : ['see: ', suggestHelp(...splitLine(program, first.words).words)]),
      ]
  return error
}

/** Returns true for a suggestion that repeats the typed words, apart from the flags that select a service. */
function isSameLine(program: Command, line: readonly string[], typed: readonly string[]): boolean {
  const { words, rest } = splitLine(program, typed)
  return line.join('\0') === [...words, ...rest].join('\0')
}

/** Adds `name:` to room arguments that look like names, in all suggestions of a hint. */
function fitRooms(hint: Hint, program: Command): Hint {
  if (typeof hint === 'string') return hint
  if (!(hint instanceof Suggestion)) return hint.map((part) => fitRooms(part, program))
  const { command, words, rest } = splitLine(program, hint.words)
  const [argument] = command.registeredArguments
  if (!(argument instanceof RoomArgument)) return hint
  const operands = listOperands(command, rest)
  const fitted = rest.map((word, at) => {
    const isRoom = argument.variadic ? operands.includes(at) : operands[0] === at
    return isRoom ? word.replace(/^(?=\p{Lu}.*\p{Ll})/u, 'name:') : word
  })
  return new Suggestion([...words, ...fitted], hint.operands, hint.isExample)
}

function toPreview(suggestion: Suggestion, program: Command): Suggestion {
  const { words, operands } = suggestion
  const { command } = splitLine(program, words)
  const effect = (command instanceof MeetroomCommand && command.effect) || 'reads'
  return mayWrite(effect) && !words.includes('--dry-run')
    ? suggest([...words, '--dry-run'], ...operands)
    : suggestion
}

/** Returns the suggested command of a hint; undefined for none or several, a condition, an example, or help. */
function findCorrection(hint: Hint = []): Suggestion | undefined {
  const parts = ([hint] as Hint[]).flat(9)
  if (String(parts[0]).startsWith('if ')) return undefined
  const suggestions = parts.filter((part) => part instanceof Suggestion)
  const [only, other] = suggestions
  if (!only || other || only.isExample || only.words.includes('--help') || only.words[0] === 'help')
    return undefined
  return only
}
