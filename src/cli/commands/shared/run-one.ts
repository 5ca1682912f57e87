import { type Endpoint, endpoints, type OperationName } from '../../../api/endpoints.ts'
import { isRecord } from '../../../api/guards.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { Input } from '../../../api/operation-types.ts'
import type { Operations } from '../../../api/operations.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import { type AnyInput, callerId } from '../../../client/request.ts'
import type { Context } from '../../kernel/context.ts'
import { createPage } from '../../output/views/page.ts'
import { type Item, selectView } from '../../output/views/views.ts'
import { readWrittenItems } from '../../output/views/written-items.ts'

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
  if (!endpoint.many || !Array.isArray(result) || !result.every(isRecord))
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
  const items = readWrittenItems(name, input, answer, format)
  await printer.list(selectView(endpoint), endpoint.result, createPage({ items, whole: answer }))
  if (!isShown) await printer.notice(describeDone(endpoint, callerId(endpoint, input)))
}

function describeDone({ method, resource, bare }: Endpoint, id: string | undefined): string {
  if (bare) return `sent the ${resource}`
  return `${method === 'POST' ? 'created' : 'updated'} ${resource} ${id}`
}
