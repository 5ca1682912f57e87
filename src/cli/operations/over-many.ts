import type { Command } from 'commander'
import type { Client } from '../../api/client.ts'
import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { readAnswer } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { confirm, placeOf } from '../confirm.ts'
import type { Act, Context } from '../context.ts'
import { examples, type ManyFlags, manyFlags } from '../flags.ts'
import { plainText } from '../output/text.ts'
import { type Item, viewOf } from '../output/views.ts'
import { runEach } from './many.ts'
import { orUndefined } from './one.ts'
import { readTargets } from './targets.ts'

/** A command that does one thing to each of several things. */
interface ManyCommand<G extends OperationName, C extends OperationName> {
  verb: string
  /** The verb in the past, for the summary: `deleted`. */
  past: string
  alias?: string
  summary: string
  description: string
  /** Asks for confirmation first. */
  destructive?: true
  /** What the ids are, in the words of the API. */
  ids: string
  /** The argument before the ids, for things that are in a room. */
  within?: readonly [term: string, words: string]
  /** Lists what `--where` chooses from. */
  list: 'listRooms' | 'listMembers' | 'listUsers'
  /** Shows one, for the question. */
  get: readonly [name: G, input: (id: string, room: string) => Input<Operations[G]>]
  call: readonly [name: C, input: (id: string, room: string) => Input<Operations[C]>]
  /** Flags beyond those of every such command. */
  flags?: (command: Command) => Command
  /** Refuses what cannot work, before anything is asked or sent. */
  check?: (context: Context, room: string, flags: Readonly<Record<string, unknown>>) => Promise<void>
  examples: readonly string[]
}

/** Number of things that a question names one by one. */
const mostNamed = 10

/** Adds a command over several ids, `-` or `--where`: targets, question, requests and summary are the same for all. */
export function overMany<G extends OperationName, C extends OperationName>(
  group: Command,
  act: Act,
  declared: ManyCommand<G, C>,
): void {
  const { verb, past, list, call, within } = declared
  const { noun } = viewOf(endpoints[list])
  const command = group.command(verb).summary(declared.summary).description(declared.description)
  if (declared.alias) command.alias(declared.alias)
  if (within) command.argument(...within)
  command.argument(`[${noun[0]}...]`, declared.ids)
  declared.flags?.(command)
  command.action(
    act('writes', async (context, ...args: unknown[]) => {
      const [room, given, flags] = (within ? args : ['', ...args]) as [string, string[], ManyFlags]
      const params = within ? { room_id: room } : {}
      const ids = await readTargets(context, { given, flags, list, params })
      await declared.check?.(context, room, { ...flags })
      if (declared.destructive)
        await confirm(
          context,
          `${verb} ${noun[1]}`,
          () => describeTargets(context, declared, ids, room, flags),
          { count: ids.length, max: flags.max },
        )
      await runEach(context, call[0], ids, (id) => call[1](id, room), past, flags)
    }),
  )
  manyFlags(command)
  examples(command, ...declared.examples)
}

/** `Delete room “Weekly sync” (66f1…)`, for a question: looks the names up. */
async function describeTargets<G extends OperationName, C extends OperationName>(
  context: Context,
  { verb, get: [get, input] }: ManyCommand<G, C>,
  ids: readonly string[],
  room: string,
  { ignoreNotFound = false }: ManyFlags,
): Promise<string> {
  const { noun } = viewOf(endpoints[get])
  const client = await context.client()
  const named = await Promise.all(
    ids.slice(0, mostNamed).map((id) => {
      const name = nameOf(client, get, input(id, room), id)
      return ignoreNotFound ? orUndefined(name).then((found) => found ?? id) : name
    }),
  )
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const what = ids.length === 1 ? noun[0] : `${ids.length} ${noun[1]}`
  const where = room === '' ? '' : ` in room ${room}`
  const place = await placeOf(context, ids)
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${what} ${named.join(', ')}${more}${where}${place}`
}

/** @throws {NotFoundError} when there is no such thing */
async function nameOf<G extends OperationName>(
  client: Client,
  get: G,
  input: Input<Operations[G]>,
  id: string,
): Promise<string> {
  const item = (readAnswer(await client.call(get, input)) as Item)[endpoints[get].result] as Item
  const label = plainText(item[viewOf(endpoints[get]).label ?? 'name'])
  return label ? `“${label}” (${id})` : id
}
