import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { createWorld } from '../helpers/world.ts'

let document: any
beforeEach(async () => {
  const world = await createWorld()
  const run = await world.run('openapi')
  expect(run).toMatchObject({ code: 0, stderr: '' })
  document = JSON.parse(run.stdout)
})

const linter = fileURLToPath(new URL('../helpers/lint-openapi.mjs', import.meta.url))

function lint(...sources: object[]): unknown {
  return JSON.parse(
    execFileSync(process.execPath, [linter], { input: JSON.stringify(sources), encoding: 'utf8' }),
  )
}

const json = 'application/json'
const itemsOf = (path: string, method: string, name: string) => {
  const { properties } = document.paths[path][method].responses[200].content[json].schema
  return properties[name].items?.properties ?? properties[name].properties
}
const sentTo = (path: string, method: string) =>
  document.paths[path][method].requestBody.content[json].schema.properties

test('the OpenAPI document passes the recommended lint rules', () => {
  const { summary, ...rest } = document.paths['/rooms'].get
  expect(summary).toBe('List rooms')
  const paths = { ...document.paths, '/rooms': { ...document.paths['/rooms'], get: rest } }
  expect(lint(document, { ...document, paths })).toMatchObject([[], [{ ruleId: 'operation-summary' }]])
})

test('the OpenAPI document declares bounds for the limit and offset of paged lists', () => {
  const paged = ['/rooms', '/users', '/rooms/{room_id}/members', '/rooms/{room_id}/sessions']
  for (const path of paged) {
    const { parameters } = document.paths[path].get
    const schemaOf = (wanted: string) =>
      parameters.find(({ name }: { name: string }) => name === wanted)?.schema
    expect([path, schemaOf('limit')]).toEqual([path, { type: 'integer', minimum: 1, maximum: 1000 }])
    expect([path, schemaOf('offset')]).toMatchObject([path, { type: 'integer', minimum: 0 }])
  }
})

test('the OpenAPI document declares deprecated room fields as the constant “#DEPRECATED#”', () => {
  const room = itemsOf('/rooms/{id}', 'get', 'room')
  const deprecated = Object.keys(room).filter((name) => room[name].deprecated)
  expect(deprecated).toEqual([
    'created_user_id',
    'last_thumbnail_updated_at',
    'room_template_id',
    'is_terminated',
    'is_ephemeral',
    'is_recurring',
  ])
  for (const name of deprecated)
    expect(room[name]).toMatchObject({ type: 'string', const: '#DEPRECATED#', deprecated: true })
  expect(sentTo('/rooms/{id}', 'put').is_terminated).toMatchObject({ type: 'boolean' })
})

test('the OpenAPI document declares name and is_blocked of members as nullable only in responses', () => {
  const path = '/rooms/{room_id}/members/{member_id}'
  expect(sentTo(path, 'put')).toMatchObject({ name: { type: 'string' }, is_blocked: { type: 'boolean' } })
  expect(sentTo('/rooms', 'post').members.items.properties).toHaveProperty('name')
  for (const member of [
    itemsOf(path, 'get', 'member'),
    itemsOf('/rooms/{room_id}/members', 'get', 'members'),
  ]) {
    expect(member.name.type).toEqual(['string', 'null'])
    expect(member.is_blocked.type).toEqual(['boolean', 'null'])
    expect(member.is_blocked.description).toContain('not a listed field of the API')
  }
})
