import { beforeEach, describe, expect, test } from 'vitest'
import { baseUrl, createWorld, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})

describe('the path', () => {
  test.each(['/rooms', '/rooms?limit=1', '/rooms/..a', '/rooms/a..', '/users/%2e%2e%2e', '/users?q=/../x'])(
    'may be %s',
    async (path) => {
      await world.run(['api', 'GET', path])
      expect(world.requests.map(({ url }) => url.startsWith(`${baseUrl}/`))).toContain(true)
    },
  )

  test.each([
    '/../../rooms',
    '/..',
    '/rooms/..',
    '/rooms/../../../admin',
    '/rooms/./x',
    '/%2e%2e/rooms',
    '/rooms/.%2E/x',
    '/%2E',
    '/rooms\\..\\..\\..\\admin',
  ])('that is %s would climb out of the base URL, and is refused', async (path) => {
    for (const method of ['GET', 'DELETE'])
      expect(await world.run(['api', method, path])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: “${path}” contains “.” or “..”, and so would leave the base URL\n`,
      })
    expect(world.requests).toEqual([])
  })

  test.each([
    'rooms',
    '',
    '//host/rooms',
    '/',
    '/a b',
    '/a#b',
    '/..\u0001',
    '/\ud800',
    'https://other.test/v1/rooms',
  ])('that is “%s” is none', async (path) => {
    expect(await world.run(['api', 'GET', path])).toMatchObject({ code: 2, stdout: '' })
    expect(world.requests).toEqual([])
  })
})
