import * as z from 'zod'
import type { Operation } from '../../src/api/operation.ts'

/** The fields of what an operation answers with: of one thing, or of an item of its list. */
export function fieldsOf({ response, result }: Operation): string[] {
  const held = response.shape[result]
  const item = held instanceof z.ZodArray ? held.element : held
  return item instanceof z.ZodObject ? Object.keys(item.shape) : []
}
