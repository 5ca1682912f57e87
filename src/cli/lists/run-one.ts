import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import { idField, isRecord } from '../../api/guards.ts'
import { readAnswer } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Answer } from '../../client/client.ts'
import type { AnyInput } from '../../client/request.ts'
import { callerId } from '../../client/write-outcome.ts'
import type { Format } from '../../config/values.ts'
import { NotFoundError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { singlePage } from '../output/views/page.ts'
import { type Item, viewOf } from '../output/views/views.ts'

export async function runOne<N extends OperationName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
): Promise<void> {
  const endpoint = endpoints[name]
  const isRead = endpoint.method === 'GET'
  const printer = await context.printer()
  printer.check(viewOf(endpoint), !isRead)
  const answer = await (await context.client()).call(name, input)
  await (isRead ? showOne(context, name, answer) : showWritten(context, name, input, answer))
}

export async function showOne(context: Context, name: OperationName, answer: Answer): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const printer = await context.printer()
  const result = (readAnswer(answer) as Item)[endpoint.result]
  if (!endpoint.many || !Array.isArray(result)) return printer.one(viewOf(endpoint), endpoint.result, answer)
  await printer.list(viewOf(endpoint), endpoint.result, singlePage({ items: result, whole: answer }))
}

/** Prints the result of a write, or a notice if the service only acknowledges it. */
async function showWritten(
  context: Context,
  name: OperationName,
  input: AnyInput,
  answer: Answer,
): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const found = (answer.value as Item)[endpoint.result]
  const isShown = endpoint.many || (endpoint.bare ? found !== undefined : isRecord(found))
  const printer = await context.printer()
  const { format } = printer.options
  if (isShown && (format !== 'ids' || endpoint.many)) return showOne(context, name, answer)
  const items = itemsOf(name, input, answer, format)
  await printer.list(viewOf(endpoint), endpoint.result, singlePage({ items, whole: answer }))
  if (!isShown) await printer.notice(describeDone(endpoint, callerId(endpoint, input)))
}

/**
 * Returns the item of a response as a list, which is empty if the service only acknowledges the write. For the
 * format `ids`, the caller's ID replaces a missing item.
 */
export function itemsOf(
  name: OperationName,
  input: AnyInput,
  answer: Answer,
  format: Format,
): readonly Item[] {
  const endpoint: Endpoint = endpoints[name]
  const found = (readAnswer(answer) as Item)[endpoint.result]
  const item = isRecord(found) ? found : undefined
  if (format !== 'ids') return item ? [item] : []
  const id = idField(endpoint)
  return item && Object.hasOwn(item, id) ? [item] : [{ [id]: callerId(endpoint, input) }]
}

function describeDone({ method, resource, bare }: Endpoint, id: string | undefined): string {
  if (bare) return `sent the ${resource}`
  return `${method === 'POST' ? 'created' : 'updated'} ${resource} ${id}`
}

/** Awaits a response; undefined when the item does not exist. */
export async function undefinedIfNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
