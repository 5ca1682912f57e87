import type { Command } from 'commander'
import { UsageError } from '../../errors.ts'
import { IdArgument, IdOption } from '../input/id-arguments.ts'
import { collectParsed } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { GivenOption } from '../kernel/given.ts'
import { formatId, hasPrefix, type NamedKind } from '../matching/reference.ts'

export const roomArgumentText = "room ID, or name:NAME, as in 'name:Weekly sync'"
export const userArgumentText = 'user ID, or name:NAME or email:ADDRESS'

/** Argument in which {@link resolveNames} replaces names and emails with IDs. */
export class NamedArgument extends IdArgument {
  constructor(
    override readonly kind: NamedKind,
    term: string,
    description: string,
  ) {
    super(term, description, kind)
  }
}

export class RoomArgument extends NamedArgument {
  constructor(term = '<room>', description = roomArgumentText) {
    super('room', term, description)
  }
}

export function createRoomsArgument(prefix = ''): RoomArgument {
  const text = `${prefix}${roomArgumentText}; repeatable, or - for IDs on standard input`
  return new RoomArgument('[room...]', text)
}

export class UserArgument extends NamedArgument {
  constructor(term = '<user>', description = userArgumentText) {
    super('user', term, description)
  }
}

export function createUsersArgument(term = '[user...]', prefix = ''): UserArgument {
  const text = `${prefix}${userArgumentText}; repeatable, or - for IDs on standard input`
  return new UserArgument(term, text)
}

export class NamedOption extends IdOption {
  constructor(
    override readonly kind: NamedKind,
    flags: string,
    description: string,
  ) {
    super(flags, description, kind)
  }
}

export class RoomOption extends NamedOption {
  constructor(flags: string, description: string) {
    super('room', flags, description)
  }
}

export class UserOption extends NamedOption {
  constructor(flags: string, description: string) {
    super('user', flags, description)
  }
}

export function createUserOption(note = ''): UserOption {
  const text = `user of the member, instead of a member ID: ${userArgumentText}${note}`
  return new UserOption('--user <id>', text).argParser(
    collectParsed((id) => {
      // An empty ID would match anonymous participants, who have no user ID.
      if (id === '') throw new UsageError('--user: the user ID is empty')
      return id
    }),
  )
}

interface NamedFlags extends Record<string, unknown> {
  ignoreNotFound?: boolean
  given?: readonly GivenOption[] | undefined
}

/**
 * Replaces references such as `name:Maths` with IDs. With `--ignore-not-found`, returns unmatched references
 * of a list in the flag `missing`.
 * @throws {UsageError} for invalid or ambiguous arguments
 * @throws {NotFoundError} for a name or email that no item has, unless ignored
 * @throws {ApiError} if the service does not return names or emails
 */
export async function resolveNames(
  context: Context,
  command: Command,
  args: readonly unknown[],
): Promise<unknown[]> {
  const flags = { ...(args.at(-1) as NamedFlags) }
  const options = command.options.filter((option) => option instanceof NamedOption)
  const operands = args.slice(0, -1).map((value, i) => {
    const argument = command.registeredArguments[i]
    return { value, kind: argument instanceof NamedArgument ? argument.kind : undefined }
  })
  for (const { value, kind } of operands) if (kind && Array.isArray(value)) refuseSentence(value)
  const given = [
    ...operands,
    ...options.map((option) => ({ value: flags[option.attributeName()], kind: option.kind })),
  ]
  const isToResolve = (kind: NamedKind, value: unknown) =>
    [value].flat().some((each) => typeof each === 'string' && hasPrefix(kind, each))
  if (!given.some(({ value, kind }) => kind && isToResolve(kind, value))) return [...args]
  const { ItemFinder } = await import('./item-finder.ts')
  const finder = new ItemFinder(context)
  const missing: string[] = []
  const resolve = (kind: NamedKind, value: unknown) => {
    if (Array.isArray(value)) return finder.idsOf(kind, value, flags.ignoreNotFound ? missing : undefined)
    return typeof value === 'string' ? finder.idOf(kind, value) : value
  }
  const resolved: unknown[] = []
  for (const { value, kind } of operands) resolved.push(kind ? await resolve(kind, value) : value)
  for (const option of options) {
    const name = option.attributeName()
    if (flags[name] === undefined) continue
    const ids = await resolve(option.kind, flags[name])
    flags[name] = ids
    const left = [ids].flat()
    // Suggested commands must not look the names up again.
    flags.given = flags.given?.map((each) =>
      each[0] === option.long ? [each[0], formatId(option.kind, String(left.shift() ?? each[1]))] : each,
    )
  }
  return [...resolved, missing.length > 0 ? { ...flags, missing } : flags]
}

/** Words between operands in a sentence, as in `add ada to Maths`. */
export const linkWords: ReadonlySet<string> = new Set(['to', 'into', 'in', 'from', 'of', 'as', '=', '->'])

function refuseSentence(ids: readonly unknown[]): void {
  const word = ids.find((id) => typeof id === 'string' && linkWords.has(id.toLowerCase()))
  if (word !== undefined && ids.length > 1)
    throw new UsageError(`the arguments must be IDs, not a sentence with “${word}”`, {
      hint: `omit “${word}”; quote a name with spaces`,
    })
}
