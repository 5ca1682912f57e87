import type { Answer } from '../../api/client.ts'
import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import { readAnswer } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { NotFoundError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { onePage } from '../output/page.ts'
import { type Item, viewOf } from '../output/views.ts'

/** Runs an operation and prints what it answers with. */
export async function runOne<N extends OperationName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
): Promise<void> {
  const endpoint = endpoints[name]
  const printer = await context.printer()
  printer.check(viewOf(endpoint), endpoint.method !== 'GET')
  await showOne(context, name, await (await context.client()).call(name, input))
}

/** Prints what an operation answered with. */
export async function showOne(context: Context, name: OperationName, answer: Answer): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const printer = await context.printer()
  const result = (readAnswer(answer) as Item)[endpoint.result]
  if (!endpoint.many || !Array.isArray(result)) return printer.one(viewOf(endpoint), endpoint.result, answer)
  await printer.list(viewOf(endpoint), endpoint.result, onePage({ items: result, whole: answer }))
}

/** An answer, or undefined when the item does not exist. */
export async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
