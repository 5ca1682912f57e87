import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { otherService } from '../../../helpers/other-service.ts'
import { answer, createWorld, type World } from '../../../helpers/world.ts'

let world: World
let room: string
beforeEach(async () => {
  world = await createWorld()
  room = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room.id
})

async function createPages(...pages: object[]): Promise<string[]> {
  const { body } = await world.send('POST', `/rooms/${room}/pages/create_many`, pages)
  return body.pages.map(({ id }: { id: string }) => id)
}
const image = (src: string) => ({ entities: [{ type: 'Image', src }] })
const suggested = (text: string) => `${text} --base-url https://meet.test/v1`

describe('pages list', () => {
  test('pages list prints the pages of a room in index order', async () => {
    const [last, first] = await createPages(
      { ...image('https://i.test/2.png'), index: 7, size: { width: 3, height: 4.5 } },
      { ...image('https://i.test/1.png'), index: 2, note: 'x' },
    )
    expect(await world.run(`pages list ${room}`)).toMatchObject({
      code: 0,
      stdout: [
        'ID                        IMAGES',
        '────────────────────────  ────────────────────',
        `${first}  https://i.test/1.png`,
        `${last}  https://i.test/2.png`,
        '',
      ].join('\n'),
      stderr: '',
    })
    expect(JSON.parse((await world.run(['pages', 'list', 'name:R', '--json'])).stdout)).toEqual({
      pages: [
        { id: first, ...image('https://i.test/1.png'), size: null, index: 2, note: 'x' },
        { id: last, ...image('https://i.test/2.png'), size: { width: 3, height: 4.5 }, index: 7 },
      ],
    })
  })

  test('pages list applies --where, --sort and --limit', async () => {
    expect(await world.run(`pages list ${room}`)).toMatchObject({ code: 0, stdout: '', stderr: 'no pages\n' })
    const ids = await createPages(...[1, 2, 3].map((i) => image(`https://i.test/${i}.png`)))
    expect((await world.run(`pages list ${room} --count`)).stdout).toBe('3\n')
    expect((await world.run(`pages list ${room} --where index>0 --sort -index -o ids`)).stdout).toBe(
      `${ids[2]}\n${ids[1]}\n`,
    )
    expect((await world.run(`pages list ${room} --limit 1 --offset 1 -o ids`)).stdout).toBe(`${ids[1]}\n`)
  })

  test('pages list prints every page of a room with 1,201 pages', async () => {
    const ids = await createPages(...Array.from({ length: 1201 }, (_, i) => ({ index: i % 7 })))
    const { stdout } = await world.run(`pages list ${room} -o ids`)
    const listed = stdout.trim().split('\n')
    expect(listed).toHaveLength(1201)
    expect(new Set(listed)).toEqual(new Set(ids))
    const { body } = await world.send('GET', `/rooms/${room}/pages`)
    expect(body.pages.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 1201 }, (_, i) => i % 7).sort(),
    )
    expect((await world.run(`pages list ${room} --all --page-size 100 -o ids`)).stdout).toBe(stdout)
  })

  test('pages list exits 3 for a missing room', async () => {
    expect(await world.run('pages list nowhere')).toMatchObject({
      code: 3,
      stderr: `error: no such room: nowhere\nhint: ${suggested('list the rooms with: meetroom rooms list')}\n`,
    })
  })

  test.each([{ ids: 'number' }, { maxLimit: 2 }, { numbersAsText: true }, { unlisted: { x: 1 } }] as const)(
    'pages list --all prints every page of a service with the variation %j',
    async (differences) => {
      const ids = await createPages({}, {}, {})
      const { idOf } = otherService(world, differences)
      expect(await world.run(`pages list ${idOf(room)} --all -o ids`)).toMatchObject({
        code: 0,
        stdout: ids.map((id) => `${idOf(id)}\n`).join(''),
      })
    },
  )
})

describe('unexpected responses to pages list', () => {
  const noOperation: [status: number, body: unknown][] = [
    [404, { error: 'Not Found' }],
    [404, '<html><title>404</title></html>'],
    [405, { error: 'method not allowed' }],
    [410, { message: 'gone' }],
    [501, { error: 'not implemented' }],
    [400, { error: { code: 'unknown_operation', message: 'no such operation' } }],
  ]

  function respondToPages(status: number, body: unknown): void {
    world.intercept = async (request, next) =>
      new URL(request.url).pathname.endsWith('/pages') ? answer(status, body) : next()
  }

  test.each(noOperation)(
    'pages list exits 6 for an existing room after status %i with the body %j',
    async (status, body) => {
      respondToPages(status, body)
      for (const flags of [[], ['--all'], ['--count'], ['--where', 'index=1']]) {
        const { code, stdout, stderr } = await world.run(['pages', 'list', room, ...flags])
        expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
        expect(stderr).toBe(
          `error: the service does not list pages\nhint: room ${room} exists, but this service has no list of pages; ${suggested(`show the room with: meetroom rooms get ${room}`)}\n`,
        )
      }
    },
  )

  test.each(noOperation)(
    'pages list exits 3 for a missing room after status %i with the body %j',
    async (status, body) => {
      respondToPages(status, body)
      const { code, stderr } = await world.run('pages list nowhere')
      expect(code).toBe(3)
      expect(stderr).toContain('error: no such room: nowhere\n')
    },
  )

  test('pages list exits 1 after an error response with status 400 or 500', async () => {
    respondToPages(400, { error: { code: 'invalid', message: 'too many' } })
    const { code, stderr } = await world.run(`pages list ${room} --limit 1`)
    expect(code).toBe(1)
    expect(stderr).toContain('too many')
    respondToPages(500, { error: { message: 'broken' } })
    expect((await world.run(`pages list ${room}`)).code).toBe(1)
    respondToPages(200, { things: [] })
    expect((await world.run(`pages list ${room}`)).code).toBe(6)
  })

  test('pages list exits 6 with the code wrong_base_url after 404 responses with an HTML body', async () => {
    world.intercept = async () => answer(404, '<html></html>')
    const { code, stderr } = await world.run(`pages list ${room} --json`)
    expect(code).toBe(6)
    expect(JSON.parse(stderr).error.code).toBe('wrong_base_url')
  })
})

test('GET /rooms/{room_id}/pages returns the same pages as the create response', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          entities: fc.array(
            fc.record({ type: fc.constant('Text'), words: fc.string({ unit: 'grapheme' }) }),
          ),
          index: fc.nat(1000),
          note: fc.jsonValue().filter((value) => value !== null),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      async (pages) => {
        const { body } = await world.send('POST', '/rooms', { name: 'P', type: 'open' })
        const path = `/rooms/${body.room.id}/pages`
        const created = (await world.send('POST', `${path}/create_many`, pages)).body.pages
        const listed = (await world.send('GET', path)).body.pages
        const byId = (list: { id: string }[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        expect(byId(listed)).toEqual(byId(created))
      },
    ),
    { numRuns: 30 },
  )
})

test('the OpenAPI document omits the operation to list pages', async () => {
  const { paths } = JSON.parse((await world.run('openapi')).stdout)
  expect(Object.keys(paths).filter((path) => path.includes('/pages'))).toEqual([
    '/rooms/{room_id}/pages/create_many',
  ])
})
