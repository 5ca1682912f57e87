import * as z from 'zod'
import type { Operation } from '../../src/api/operation-types.ts'

/** Returns the fields of the item, or of each item, in the response of an operation. */
export function fieldsOf({ response, result }: Operation): string[] {
  const held = response.shape[result]
  const item = held instanceof z.ZodArray ? held.element : held
  return item instanceof z.ZodObject ? Object.keys(item.shape) : []
}
