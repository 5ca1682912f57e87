import { expect, expectTypeOf, test } from 'vitest'
import { endpoints } from '../../src/api/endpoints.ts'
import { openApiDocument } from '../../src/api/openapi.ts'
import { operationsOf } from '../../src/api/operations.ts'
import { type Field, resource } from '../../src/api/resource.ts'
import { type ResourceName, resources, room } from '../../src/api/resources.ts'
import { bodySchema, itemSchema, querySchema } from '../../src/api/schemas.ts'
import type { ItemOf, WritableFields } from '../../src/api/values.ts'
import { importColumns } from '../../src/cli/bulk/adapter/columns.ts'
import { filterTypes } from '../../src/cli/filter/where.ts'
import { formatCsv } from '../../src/cli/output/formats/csv.ts'
import { formatRecord } from '../../src/cli/output/formats/record.ts'
import { RowWriter } from '../../src/cli/output/formats/rows.ts'
import { selectStyle } from '../../src/cli/output/terminal/style.ts'
import { viewFor, views } from '../../src/cli/output/views/views.ts'
import { testHost } from '../helpers/host.ts'

/** Rooms with one more field, declared once. */
const roomy = resource({
  ...room,
  fields: {
    ...room.fields,
    seats: {
      type: 'integer',
      words: 'number of seats',
      write: 'create update',
      required: true,
      query: true,
      column: [8, 3],
    },
  },
})
const { fields } = roomy
const view = viewFor(roomy)
const item = { id: 'r', type: 'open', seats: 12 }

test('a field added to the table has a type', () => {
  expectTypeOf<WritableFields<typeof fields, 'create'>['seats']>().toEqualTypeOf<number>()
  expectTypeOf<WritableFields<typeof fields, 'update'>['seats']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ItemOf<typeof fields>['seats']>().toEqualTypeOf<number | null | undefined>()
  expectTypeOf<ItemOf<typeof room.fields>>().not.toHaveProperty('seats')
})

test('a field added to the table is in the schemas of requests, answers and queries', () => {
  const create = bodySchema('create', fields)
  const update = bodySchema('update', fields)
  expect(create.safeParse({ name: 'n', type: 'open' }).success).toBe(false)
  expect(create.safeParse({ name: 'n', type: 'open', seats: 12 }).success).toBe(true)
  expect(update.safeParse({}).success).toBe(true)
  expect(update.safeParse({ seats: 1.5 }).success).toBe(false)
  expect(itemSchema(fields).safeParse({ ...item, seats: null }).success).toBe(true)
  expect(itemSchema(fields).safeParse({ ...item, seats: 'twelve' }).success).toBe(false)
  expect(querySchema(fields).parse({ seats: '12' })).toEqual({ seats: 12 })
})

test('a field added to the table has a column in tables, and its place in records and CSV', async () => {
  expect(view.columns.at(-1)).toMatchObject({ field: 'seats', weight: 3 })
  const { stdout, env } = testHost()
  const style = await selectStyle(stdout, env, false)
  expect(
    formatRecord(
      { seats: 12, type: 'open', id: 'r' },
      { view, style, now: undefined, redact: (text) => text },
    ),
  ).toBe('id     r\ntype   open\nseats  12\n')
  const header = `${view.fields.join(',')}\r\n`
  expect(header).toContain(',seats\r\n')
  expect(formatCsv([item], { view, header: true })).toMatch(`${header}r,open,`)
})

test('a field added to the table can be used with --where', () => {
  expect(filterTypes(roomy, view).get('seats')).toBe('number')
})

test('a field added to the table is imported', () => {
  const { columns, required } = importColumns(roomy, view, endpoints.createRoom)
  expect(columns['seats']?.('12')).toBe(12)
  expect(() => columns['seats']?.('twelve')).toThrow('expected a whole number')
  expect(required).toEqual(['name', 'type', 'seats'])
})

test('a field added to the table is in the OpenAPI document, with its words', () => {
  const document = openApiDocument(operationsOf({ ...resources, room: roomy })) as any
  const { get, post } = document.paths['/rooms']
  const schemaOf = (part: any) => part.content['application/json'].schema
  expect(get.parameters).toContainEqual(
    expect.objectContaining({ name: 'seats', description: 'number of seats' }),
  )
  expect(schemaOf(post.requestBody).required).toEqual(['name', 'type', 'seats'])
  expect(schemaOf(post.requestBody).properties.seats.description).toBe('number of seats')
  expect(schemaOf(post.responses[200]).properties.room.properties.seats.description).toBe('number of seats')
  expect(roomy.words.seats).toBe('number of seats')
})

test('a field that the service makes is read-only', () => {
  const seen = resource({ ...room, fields: { ...room.fields, visits: { type: 'number', words: 'visits' } } })
  const { columns, readOnly } = importColumns(seen, viewFor(seen), endpoints.createRoom)
  expect(Object.keys(columns)).not.toContain('visits')
  expect(readOnly).toContain('visits')
  expect(bodySchema('create', seen.fields).shape).not.toHaveProperty('visits')
})

test('a field that the document does not list is optional in the schema of responses, and can be shown', () => {
  const felt = resource({
    ...room,
    fields: { ...room.fields, mood: { type: 'text', words: 'mood', answer: 'unlisted' } },
  })
  expect(itemSchema(felt.fields).shape['mood']?.safeParse(undefined).success).toBe(true)
  expect(bodySchema('create', felt.fields).shape).not.toHaveProperty('mood')
  expect(viewFor(felt)).toMatchObject({
    fields: view.fields.slice(0, -1),
    unlisted: ['max_meeting_seconds', 'remaining_seconds', 'mood'],
  })
  expect(filterTypes(felt, view).get('mood')).toBe('text')
  const { unlisted: kept } = viewFor(felt)
  expect(new RowWriter({ view: { ...view, kept }, header: true }, formatCsv).end()).toMatch(
    /,max_meeting_seconds,mood,remaining_seconds\r\n$/,
  )
})

test.each(Object.keys(resources) as ResourceName[])('%s: every column has a place of its own', (name) => {
  const derived = views[name].columns.filter(({ value }) => value).length
  const places = Object.values<Field>(resources[name].fields).flatMap(({ column }) => column?.[0] ?? [])
  expect(new Set(places).size).toBe(places.length)
  expect(Math.max(...places)).toBeLessThanOrEqual(places.length + derived)
})
