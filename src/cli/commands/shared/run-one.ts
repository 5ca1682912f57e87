import { type Endpoint, endpoints, type OperationName } from '../../../api/endpoints.ts'
import { isRecord } from '../../../api/guards.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { InputOf } from '../../../api/operations.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import { type AnyInput, callerId } from '../../../client/request.ts'
import type { Context } from '../../kernel/context.ts'
import { createPage } from '../../output/views/page.ts'
import { type Item, selectView } from '../../output/views/views.ts'
import { readWrittenItems } from '../../output/views/written-items.ts'

export async function runOne<N extends OperationName>(
  context: Context,
  name: N,
  input: InputOf<N>,
): Promise<void> {
  const endpoint = endpoints[name]
  const isRead = endpoint.method === 'GET'
  const printer = await context.printer()
  printer.check(selectView(endpoint), !isRead)
  const response = await (await context.client()).call(name, input)
  await (isRead ? showOne(context, name, response) : showWritten(context, name, input, response))
}

export async function showOne(context: Context, name: OperationName, response: ResponseBody): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const printer = await context.printer()
  const result = (readResponseValue(response) as Item)[endpoint.result]
  if (!endpoint.many || !Array.isArray(result) || !result.every(isRecord))
    return printer.printOne(selectView(endpoint), endpoint.result, response)
  await printer.list(selectView(endpoint), endpoint.result, createPage({ items: result, whole: response }))
}

async function showWritten(
  context: Context,
  name: OperationName,
  input: AnyInput,
  response: ResponseBody,
): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const found = (response.value as Item)[endpoint.result]
  const isShown = endpoint.many || (endpoint.bare ? found !== undefined : isRecord(found))
  const printer = await context.printer()
  const { format } = printer.options
  if (isShown && (format !== 'ids' || endpoint.many)) return showOne(context, name, response)
  const items = readWrittenItems(name, input, response, format)
  await printer.list(selectView(endpoint), endpoint.result, createPage({ items, whole: response }))
  if (!isShown) await printer.notice(describeDone(endpoint, callerId(endpoint, input)))
}

function describeDone({ method, resource, bare }: Endpoint, id: string | undefined): string {
  if (bare) return `sent the ${resource}`
  return `${method === 'POST' ? 'created' : 'updated'} ${resource} ${id}`
}
