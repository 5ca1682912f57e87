import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

function addFields(fields: (item: Record<string, unknown>) => object) {
  world.intercept = async (request, next) => {
    const response = await next()
    if (request.method !== 'GET' || response.status !== 200) return response
    const body = JSON.parse(new TextDecoder().decode(response.body))
    const add = (item: Record<string, unknown>) => ({ ...item, ...fields(item) })
    const changed = Object.entries(body).map(([key, value]) => {
      if (Array.isArray(value)) return [key, value.map(add)]
      return [key, key === 'paging' ? value : add(value as Record<string, unknown>)]
    })
    return answer(200, Object.fromEntries(changed))
  }
}

const links = () => ({ _links: { self: 'https://x.test' }, Klasse: '7a', score: 1.5 })

async function fill() {
  await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
  await world.send('POST', '/users', { user_id: 'eve', name: 'Eve' })
  const { body } = await world.send('POST', '/rooms', { name: 'Maths', type: 'private' })
  await world.send('POST', `/rooms/${body.room.id}/members`, { user_id: 'ada', type: 'host' })
}

describe('an export of a service that adds unlisted fields', () => {
  const kinds = [
    [
      ...['users', '', '--if-exists overwrite --yes'],
      ['Eve', 'Ada'].map((name) => ({ user_id: name.toLowerCase(), name, default_member_type: 'guest' })),
    ],
    ['rooms', '', '--match name --if-exists update', [{ layout: 'default' }]],
    ['members', '--all-rooms', '--if-exists update', [{ type: 'host', name: 'Ada', is_blocked: false }]],
  ] as [kind: string, from: string, to: string, bodies: object[]][]

  const formats = [
    ['csv', 'omits'],
    ['ndjson', 'sends'],
    ['json', 'sends'],
  ] as const

  test.each(
    kinds.flatMap(([kind, from, to, bodies]) =>
      formats.map(([format, verb]) => [format, kind, from, to, verb, bodies] as const),
    ),
  )('from a %s export, %s import%c %s %s unlisted fields', async (format, kind, from, to, verb, bodies) => {
    await fill()
    addFields(links)
    const exported = await world.run(`${kind} export ${from} -o ${format}`.replace('  ', ' '))
    expect(exported.code).toBe(0)
    writeFileSync(join(world.dir, `out.${format}`), exported.stdout)
    const { code, stderr } = await world.run(`${kind} import out.${format} ${to}`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('_links') })
    const sent = world.requests.flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(body)]))
    expect(sent).toEqual(bodies.map((body) => (verb === 'omits' ? body : { ...body, ...links() })))
  })

  test('users import warns about the unlisted columns of an export, and sends a column with --map', async () => {
    await fill()
    addFields(links)
    writeFileSync(join(world.dir, 'users.csv'), (await world.run('users export')).stdout)
    const { stderr } = await world.run('users import users.csv --if-exists skip')
    expect(stderr).toContain(
      "warning: meetroom does not send the columns Klasse, _links, score, because the API does not list them; --map 'COLUMN=FIELD' sends a column\n",
    )
    world.requests.length = 0
    await world.run([
      'users',
      'import',
      'users.csv',
      '--if-exists',
      'overwrite',
      '--yes',
      '--map',
      'Klasse=class',
    ])
    const bodies = world.requests.flatMap(({ method, body }) =>
      method === 'POST' ? [JSON.parse(String(body))] : [],
    )
    expect(bodies.map(({ class: name }) => name)).toEqual(['7a', '7a'])
  })

  test('users export lists the omitted fields of later pages, and -o ndjson includes these fields', async () => {
    for (let i = 0; i < 4; i++) await world.send('POST', '/users', { user_id: `u${i}` })
    addFields(({ user_id }) => (user_id === 'u0' ? { late: 1 } : {}))
    const { code, stderr } = await world.run('users export --page-size 2')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        'fields omitted, because the first response does not contain them: late; -o ndjson includes them',
      ),
    })
    expect((await world.run('users export --page-size 2 -o ndjson')).stdout).toContain('"late":1')
  })
})

test('users import exits 2 for an unknown column in a file that is not an export', async () => {
  writeFileSync(join(world.dir, 'users.csv'), 'user_id,name,nmae\nada,Ada,x\n')
  expect(await world.run('users import users.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no user has a field “nmae”'),
  })
  expect(readFileSync(join(world.dir, 'users.csv'), 'utf8')).toContain('nmae')
})
