import { describe, expect, test } from 'vitest'
import { openTestWorkspace } from '../helpers/wire.ts'
import { counted, share } from './size.ts'
import { bodyGroups } from './websec/bodies.ts'

const { add: count } = counted('websec')

const short = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name)

async function createWorkspace() {
  const workspace = await openTestWorkspace()
  const { room } = (await workspace.send('POST', '/rooms', { name: 'R', type: 'open' })).body
  await workspace.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
  await workspace.send('POST', '/users', { user_id: 'big', data: 'x'.repeat(40 * 1024) })
  const state = async () => [
    (await workspace.send('GET', '/rooms')).body,
    (await workspace.send('GET', '/users')).body,
    workspace.store.all('SELECT * FROM pages'),
  ]
  return { ...workspace, room: room.id, state }
}

describe.each(Object.entries(bodyGroups))('a request with %s', (group, vectors) => {
  for (const [name, request, body, status] of share(vectors, 0, 2))
    test(`a request with ${group} gets the status ${status} (vector: ${short(name)})`, async () => {
      count('vectors')
      const { service, apiKey, room, state } = await createWorkspace()
      const before = await state()
      const [method = '', path = ''] = request.replace('{room}', room).split(/ (.*)/s)
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const answer = await service({ method, url: `/v1${path}`, headers, body })

      expect(answer.status).toBe(status)
      expect(answer.headers).toEqual({ 'content-type': 'application/json; charset=utf-8' })
      expect(answer.text.trimEnd()).toMatch(/^[^\r\n]+$/)
      if (status !== 200 || method === 'GET') expect(await state()).toEqual(before)
      else expect(parsed(answer.text).user).toMatchObject(parsed(body ?? ''))
      // Compares text, because JSON.parse rounds long numbers, and object comparison may skip __proto__.
      if (status === 200 && body && group === 'a prototype')
        expect(answer.text).toContain(body.slice(body.indexOf(',') + 1, -1))
      expect(Object.keys(Object.getPrototypeOf({}))).toEqual([])
      expect({}).not.toHaveProperty('polluted')
      const good = await service({ method: 'GET', url: '/v1/users', headers })
      expect(good.status).toBe(200)
      if (status === 200) expect(parsed(good.text)).toMatchObject({ users: expect.any(Array) })
    })
})

const parsed = (text: string) => JSON.parse(text)
