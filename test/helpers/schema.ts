import * as z from 'zod'
import type { Operation } from '../../src/api/operation-types.ts'

/** The fields of the item, or of each item, that an operation answers with. */
export function fieldsOf({ response, result }: Operation): string[] {
  const held = response.shape[result]
  const item = held instanceof z.ZodArray ? held.element : held
  return item instanceof z.ZodObject ? Object.keys(item.shape) : []
}
