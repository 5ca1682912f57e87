import type { Command } from 'commander'
import type { Answer } from '../api/client.ts'
import { endpoints } from '../api/endpoints.ts'
import { readAnswer } from '../api/json.ts'
import { NotFoundError, UsageError } from '../errors.ts'
import { viewOf } from './act.ts'
import type { Context } from './context.ts'
import { collect } from './input.ts'
import { plainText } from './output/text.ts'
import type { Item } from './output/views.ts'

/** A further name that works and is not shown. */
export function alias(command: Command, name: string): Command {
  return command.alias(name)
}

/** Examples behind the help of a command. */
export function examples(command: Command, ...lines: string[]): void {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

/** The flags of every create and update: the service has more fields than its document shows. */
export function bodyFlags(command: Command): Command {
  return command
    .option('--set <key=value>', 'set any field; the value is JSON, else a string; may be repeated', collect)
    .option('--data <json|@file|->', 'fields as a JSON object, from a file or from standard input')
}

/** Refuses a body that lacks a field, naming the flag that gives it, or that has no field at all. */
export function requireFields(
  body: Readonly<Record<string, unknown>>,
  required: Readonly<Record<string, string>>,
): void {
  for (const [field, flag] of Object.entries(required))
    if (body[field] === undefined)
      throw new UsageError(`${flag} is missing`, {
        hint: 'see --help for an example',
      })
  if (Object.keys(body).length === 0) throw new UsageError('nothing to change: name at least one field')
}

/** `Delete room “Weekly sync” (66f1…)`, for a question: looks the names up. */
export async function describeThings(
  context: Context,
  verb: string,
  get: 'getRoom' | 'getUser',
  ids: readonly string[],
  { ignoreNotFound = false } = {},
): Promise<string> {
  const view = viewOf(endpoints[get])
  const client = await context.client()
  const shown = await Promise.all(
    ids.slice(0, 10).map(async (id) => {
      const asked: Promise<Answer> =
        get === 'getRoom'
          ? client.call(get, { params: { id } })
          : client.call(get, { params: { user_id: id } })
      const answer = await (ignoreNotFound ? orUndefined(asked) : asked)
      if (!answer) return id
      const item = (readAnswer(answer) as Item)[endpoints[get].result] as Item
      const label = plainText(item[view.label ?? 'name'])
      return label ? `“${label}” (${id})` : id
    }),
  )
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : ''
  return `${verb} ${ids.length === 1 ? view.noun[0] : `${ids.length} ${view.noun[1]}`} ${shown.join(', ')}${more}${await placeOf(context, ids)}`
}

/** An answer, or undefined when there is no such thing. */
export async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/** `, at https://host (profile staging)`, where several things are at stake. */
export async function placeOf(context: Context, ids: readonly string[]): Promise<string> {
  if (ids.length === 1) return ''
  const { local, profile } = await context.settings()
  const target = await context.target()
  return local ? `, in ${target}` : `, at ${new URL(target).origin} (profile ${profile.value})`
}
