import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { type Hint, type Suggestion, suggest } from '../../errors.ts'
import type { FlagKind } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import { quoteWord } from '../output/hint-text.ts'
import { readIntended } from './operands.ts'
import { splitTyped } from './typed.ts'
import { selectsTargets, suggestAll, suggestFile, withoutYes } from './usage-problem.ts'

export interface CalledCommand {
  names: readonly string[]
  given: readonly string[]
  argv: readonly string[]
  program: Command
}

export interface MissingResource extends CalledCommand {
  context: Context
  client: Client
  path: string
  isRoomMissing: boolean
  /** User in the error message, such as `no such user: ada`. */
  unknownUser: string | undefined
  /** Typed flags and their values, without flags that select a service. */
  flags: readonly string[]
}

export type Explain = (missing: MissingResource) => Promise<Hint | undefined>

/** Explains text that is hardly an ID, such as `name=Maths`, `*` or a file name. */
export function explainIntended(missing: MissingResource, text: string): Hint | undefined {
  const { command } = splitTyped(missing.program, missing.argv)
  const others = [...missing.given, ...missing.flags].filter((word) => word !== text)
  const file =
    command.name() === 'export' && !text.includes(':')
      ? suggestFile(command, missing.context.command.split(' '), others, text)
      : undefined
  if (file) return file
  const isMany = command.registeredArguments.at(-1)?.variadic === true
  const canSelect = selectsTargets(command)
  const name = missing.context.command.split(' ')
  if (/^(\*|all)$/i.test(text) && canSelect) return suggestAll(command, name, missing.given, missing.flags)
  if (canSelect && /^[a-z_]+(!?~|!=|[<>]=?)./.test(text))
    return ['did you mean: ', suggest([...name, '--where', text, ...withoutYes(missing.flags), '--dry-run'])]
  const start = /^(?:name:)?([\w. -]+)\*$/.exec(text)?.[1]
  if (start !== undefined && canSelect) {
    const field = missing.unknownUser === undefined ? 'name' : 'user_id'
    const condition = ['--where', `${field}~^${start.replaceAll('.', '\\.')}`]
    return [
      'select by a pattern: ',
      suggest([...name, ...condition, ...withoutYes(missing.flags), '--dry-run']),
    ]
  }
  const { reason, words, user, role } = readIntended(text) ?? { reason: '', words: [] }
  if (words.length === 0) return undefined
  const isOfFlag = missing.flags.includes(text)
  if (user !== undefined && role !== undefined && !isOfFlag) {
    if (!command.options.some(({ long }) => long === '--role')) return undefined
    const corrected = correct({ ...missing, flags: [...missing.flags, '--role', role] }, text, user)
    return corrected && ['pass the role with --role: ', corrected]
  }
  const flag = missing.flags[missing.flags.indexOf(text) - 1]
  const option = command.options.find(({ long }) => long === flag)
  const isRepeatable = (option?.parseArg as FlagKind | undefined)?.repeatable === true
  if (words.length === 1 || (isOfFlag ? isRepeatable : isMany)) {
    const corrected = correct(missing, text, ...words)
    return corrected && [isOfFlag && words.length > 1 ? 'repeat the flag: ' : reason, corrected]
  }
  const each = words.flatMap((word) => correct(missing, text, word) ?? [])
  return each.length > 0
    ? ['pass one at a time: ', ...each.flatMap((line, i) => (i === 0 ? [line] : ['; ', line]))]
    : undefined
}

/** Explains names of files: the files that a `*` of the shell matched, or a file that probably contains IDs. */
export const explainFileOfIds: Explain = async (missing) => {
  const { command } = splitTyped(missing.program, missing.argv)
  const { cwd } = missing.context.host
  const isInDirectory = (name: string) =>
    lstatSync(resolve(cwd, name), { throwIfNoEntry: false }) !== undefined
  if (selectsTargets(command) && missing.given.length > 1 && missing.given.slice(-2).every(isInDirectory))
    return [
      'the shell replaced * with the names of files; ',
      suggestAll(command, missing.context.command.split(' '), missing.given, missing.flags),
    ]
  const typed = missing.unknownUser ?? readSegment(missing.path, 'rooms') ?? ''
  const file = typed.replace(/^@/, '')
  const path = resolve(cwd, file)
  const isFile = file !== '' && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
  if (!isFile || command.registeredArguments.at(-1)?.variadic !== true) return undefined
  const corrected = correct(missing, typed, '-')
  return corrected && ['read the IDs from the file with: ', corrected, ` < ${quoteWord(file)}`]
}

/** Suggests the typed command with `ids` in place of `wrong`; undefined if the command lacks `wrong`. */
export function correct(
  { context, given, flags }: Pick<MissingResource, 'context' | 'given' | 'flags'>,
  wrong: string,
  ...ids: string[]
): Suggestion | undefined {
  const typed = [...given, ...flags]
  const isWrong = (word: string) =>
    word === wrong || /^:\w+$/.test(word.startsWith(wrong) ? word.slice(wrong.length) : '')
  const at = typed.findIndex(isWrong)
  if (at < 0) return undefined
  const role = typed[at]?.slice(wrong.length)
  const before = typed[at - 1] ?? ''
  const flag = ids.length > 1 && before.startsWith('--') ? [before] : []
  const right = ids.flatMap((id, i) => [...(i === 0 ? [] : flag), `${id}${role}`])
  return suggest([...context.command.split(' '), ...typed.toSpliced(at, 1, ...right)])
}

export function readSegment(path: string, collection: 'rooms' | 'users'): string | undefined {
  const [, segment] = new RegExp(`^/${collection}/([^/?]+)`).exec(path) ?? []
  return segment === undefined ? undefined : decodeURIComponent(segment)
}
