import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import { getIdField, isRecord } from '../../api/guards.ts'
import { readResponseValue } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import { type AnyInput, callerId } from '../../client/request.ts'
import type { Format } from '../../config/values.ts'
import { NotFoundError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { createPage } from '../output/views/page.ts'
import { type Item, selectView } from '../output/views/views.ts'

export async function runOne<N extends OperationName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
): Promise<void> {
  const endpoint = endpoints[name]
  const isRead = endpoint.method === 'GET'
  const printer = await context.printer()
  printer.check(selectView(endpoint), !isRead)
  const answer = await (await context.client()).call(name, input)
  await (isRead ? showOne(context, name, answer) : showWritten(context, name, input, answer))
}

export async function showOne(context: Context, name: OperationName, answer: ResponseBody): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const printer = await context.printer()
  const result = (readResponseValue(answer) as Item)[endpoint.result]
  if (!endpoint.many || !Array.isArray(result))
    return printer.printOne(selectView(endpoint), endpoint.result, answer)
  await printer.list(selectView(endpoint), endpoint.result, createPage({ items: result, whole: answer }))
}

async function showWritten(
  context: Context,
  name: OperationName,
  input: AnyInput,
  answer: ResponseBody,
): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const found = (answer.value as Item)[endpoint.result]
  const isShown = endpoint.many || (endpoint.bare ? found !== undefined : isRecord(found))
  const printer = await context.printer()
  const { format } = printer.options
  if (isShown && (format !== 'ids' || endpoint.many)) return showOne(context, name, answer)
  const items = readItems(name, input, answer, format)
  await printer.list(selectView(endpoint), endpoint.result, createPage({ items, whole: answer }))
  if (!isShown) await printer.notice(describeDone(endpoint, callerId(endpoint, input)))
}

/**
 * Returns the item of a response as a list, which is empty if the service only acknowledges the write. For the
 * format `ids`, the caller's ID replaces a missing item.
 */
export function readItems(
  name: OperationName,
  input: AnyInput,
  answer: ResponseBody,
  format: Format,
): readonly Item[] {
  const endpoint: Endpoint = endpoints[name]
  const found = (readResponseValue(answer) as Item)[endpoint.result]
  const item = isRecord(found) ? found : undefined
  if (format !== 'ids') return item ? [item] : []
  const id = getIdField(endpoint)
  return item && Object.hasOwn(item, id) ? [item] : [{ [id]: callerId(endpoint, input) }]
}

function describeDone({ method, resource, bare }: Endpoint, id: string | undefined): string {
  if (bare) return `sent the ${resource}`
  return `${method === 'POST' ? 'created' : 'updated'} ${resource} ${id}`
}

export async function undefinedIfNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
