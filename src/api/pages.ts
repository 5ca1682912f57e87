import * as z from 'zod'
import { endpoints } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { Id } from './shared.ts'
import { fields } from './vocabulary.ts'

const words = fields.page

/** Section 2.5: `Image` is the only type that the document shows. */
export const Entity = z.looseObject({
  type: z.string().min(1).describe(words.type),
  src: z.string().optional().describe(words.src),
  fixed: z.boolean().optional().describe(words.fixed),
})

/** Section 2.5, request item. */
export const Page = z.looseObject({
  entities: z.array(Entity).optional().describe(words.entities),
  size: z.looseObject({ width: z.number(), height: z.number() }).optional().describe(words.size),
  index: z.int().optional().describe(words.index),
})

/** Section 2.5, response item. */
export const CreatedPage = z.looseObject({
  id: z.string().describe(words.id),
  entities: z.array(z.looseObject({ type: z.string().nullish(), src: z.string().nullish() })).nullish(),
})

/** Rule 5: one page per array item. */
export const createPages = {
  ...endpoints.createPages,
  params: z.object({ room_id: Id.describe(fields.room.id) }),
  body: z.array(Page),
  response: z.looseObject({ pages: z.array(CreatedPage) }),
} as const satisfies Operation
