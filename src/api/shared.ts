import * as z from 'zod'
import { defaultLimit, deprecated, fields, memberTypes } from './vocabulary.ts'

/** An identifier in a path. Path parameters are strings (section 4). */
export const Id = z.string().min(1)

/** ISO 8601 UTC timestamp (section 2). Blank until the thing has happened. */
export const Timestamp = z.string().nullish()

/** A field that carries the literal `#DEPRECATED#` in responses (section 2.1); whatever it carries, nobody reads it. */
export const Deprecated = z.unknown().optional().describe(`deprecated: carries ${deprecated}`)

export const MemberType = z.enum(memberTypes)

/**
 * A value that the document lists as an enum, in a response. A service that grows a new value must not make the
 * whole answer unreadable.
 */
export const open = <T extends z.ZodEnum>(known: T) =>
  z.union([known, z.string()], {
    error: ({ input }) => `expected string, received ${input === null ? 'null' : typeof input}`,
  })

// Query strings carry text; the codecs turn it into the type that the document gives and refuse `1e3` and `0x10`.
const integer = z.codec(z.string().regex(/^-?\d{1,15}$/, 'expected an integer'), z.int(), {
  decode: Number,
  encode: String,
})
/** A boolean in a query string. */
export const QueryBoolean = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: (text) => text === 'true',
  encode: (value) => (value ? 'true' : 'false'),
})

/** The query of the operations that page (rule 6). */
export const pagingQuery = {
  offset: integer.optional().describe(fields.paging.offset),
  limit: integer.optional().describe(`${fields.paging.limit} (default ${defaultLimit})`),
}

/** Section 2.6. */
export const Paging = z.looseObject({
  limit: z.number().nullish().describe(fields.paging.limit),
  offset: z.number().nullish().describe(fields.paging.offset),
  total: z.number().nullish().describe(fields.paging.total),
})
