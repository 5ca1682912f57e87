import { expect, expectTypeOf, test } from 'vitest'
import { endpoints } from '../../src/api/endpoints.ts'
import { openApiDocument } from '../../src/api/openapi.ts'
import type { ItemOf, WritableFields } from '../../src/api/operation-types.ts'
import { createOperations } from '../../src/api/operations.ts'
import { defineResource, type Field, field } from '../../src/api/resource-types.ts'
import { type ResourceName, resources, room } from '../../src/api/resources.ts'
import { createBodySchema, createItemSchema, createQuerySchema } from '../../src/api/schemas.ts'
import { filterTypes } from '../../src/cli/filter/where.ts'
import { deriveColumns } from '../../src/cli/import/adapter/adapter.ts'
import { formatCsv } from '../../src/cli/output/formats/csv.ts'
import { formatRecord } from '../../src/cli/output/formats/record.ts'
import { RowWriter } from '../../src/cli/output/formats/rows.ts'
import { selectStyle } from '../../src/cli/output/terminal/style.ts'
import { createView, views } from '../../src/cli/output/views/views.ts'
import { testHost } from '../helpers/host.ts'

const roomy = defineResource(room, {
  ...room.fields,
  seats: field('integer', 'number of seats', {
    write: 'create update',
    required: true,
    query: true,
    column: [8, 3],
  }),
})
const { fields } = roomy
const view = createView(roomy)
const item = { id: 'r', type: 'open', seats: 12 }

test('the TypeScript types of rooms include a field added to the field table', () => {
  expectTypeOf<WritableFields<typeof fields, 'create'>['seats']>().toEqualTypeOf<number>()
  expectTypeOf<WritableFields<typeof fields, 'update'>['seats']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ItemOf<typeof fields>['seats']>().toEqualTypeOf<number | null | undefined>()
  expectTypeOf<ItemOf<typeof room.fields>>().not.toHaveProperty('seats')
})

test('the request, response and query schemas include a field added to the field table', () => {
  const create = createBodySchema('create', fields)
  const update = createBodySchema('update', fields)
  expect(create.safeParse({ name: 'n', type: 'open' }).success).toBe(false)
  expect(create.safeParse({ name: 'n', type: 'open', seats: 12 }).success).toBe(true)
  expect(update.safeParse({}).success).toBe(true)
  expect(update.safeParse({ seats: 1.5 }).success).toBe(false)
  expect(createItemSchema(fields).safeParse({ ...item, seats: null }).success).toBe(true)
  expect(createItemSchema(fields).safeParse({ ...item, seats: 'twelve' }).success).toBe(false)
  expect(createQuerySchema(fields).parse({ seats: '12' })).toEqual({ seats: 12 })
})

test('tables, records and CSV show a field added to the field table', async () => {
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

test('--where accepts a field added to the field table', () => {
  expect(filterTypes(roomy, view).get('seats')).toBe('number')
})

test('an import accepts a field added to the field table', () => {
  const { columns, required } = deriveColumns(roomy, view, endpoints.createRoom)
  expect(columns['seats']?.('12')).toBe(12)
  expect(() => columns['seats']?.('twelve')).toThrow('must be a whole number, not “twelve”')
  expect(required).toEqual(['name', 'type', 'seats'])
})

test('the OpenAPI document describes a field added to the field table', () => {
  const document = openApiDocument(createOperations({ ...resources, room: roomy })) as any
  const { get, post } = document.paths['/rooms']
  const schemaOf = (part: any) => part.content['application/json'].schema
  expect(get.parameters).toContainEqual(
    expect.objectContaining({ name: 'seats', description: 'number of seats' }),
  )
  expect(schemaOf(post.requestBody).required).toEqual(['name', 'type', 'seats'])
  expect(schemaOf(post.requestBody).properties.seats.description).toBe('number of seats')
  expect(schemaOf(post.responses[200]).properties.room.properties.seats.description).toBe('number of seats')
  expect(roomy.descriptions.seats).toBe('number of seats')
})

test('imports and create requests exclude a field without write access', () => {
  const seen = defineResource(room, { ...room.fields, visits: field('number', 'visits') })
  const { columns, readOnly } = deriveColumns(seen, createView(seen), endpoints.createRoom)
  expect(Object.keys(columns)).not.toContain('visits')
  expect(readOnly).toContain('visits')
  expect(createBodySchema('create', seen.fields).shape).not.toHaveProperty('visits')
})

test('an unlisted field is optional in responses and selectable as a column', () => {
  const mood = field('text', 'mood', { presence: 'unlisted' })
  const felt = defineResource(room, { ...room.fields, mood })
  expect(createItemSchema(felt.fields).shape['mood']?.safeParse(undefined).success).toBe(true)
  expect(createBodySchema('create', felt.fields).shape).not.toHaveProperty('mood')
  expect(createView(felt)).toMatchObject({
    fields: view.fields.slice(0, -1),
    unlisted: ['max_meeting_seconds', 'remaining_seconds', 'mood'],
  })
  expect(filterTypes(felt, view).get('mood')).toBe('text')
  const { unlisted: kept } = createView(felt)
  expect(new RowWriter({ view: { ...view, alwaysShown: kept }, header: true }, formatCsv).end()).toMatch(
    /,max_meeting_seconds,mood,remaining_seconds\r\n$/,
  )
})

test.each(Object.keys(resources) as ResourceName[])(
  'the columns of the resource %s have unique positions',
  (name) => {
    const derived = views[name].columns.filter(({ value }) => value).length
    const places = Object.values<Field>(resources[name].fields).flatMap(({ column }) => column?.[0] ?? [])
    expect(new Set(places).size).toBe(places.length)
    expect(Math.max(...places)).toBeLessThanOrEqual(places.length + derived)
  },
)
