import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld, type ImportWorld, lost } from '../helpers/imports.ts'
import { answer } from '../helpers/world.ts'

let world: ImportWorld
let room: string
beforeEach(async () => {
  world = await createImportWorld()
  room = await world.room('Old', 'private')
  await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
})

function answerWrites(isExecuted: boolean, body: unknown, status = 200): void {
  world.intercept = async (request, next) => {
    if (request.method === 'GET') return next()
    if (isExecuted) await next()
    return answer(status, body)
  }
}

function renameTo(change: (name: string) => string): void {
  world.intercept = async (request, next) => {
    if (request.method === 'GET') return next()
    const body = JSON.parse(String(request.body))
    if (body.name === undefined) return next()
    return next({ ...request, body: JSON.stringify({ ...body, name: change(body.name) }) })
  }
}

const reads = () => world.sent().filter((line) => line.startsWith('GET'))

describe('a creation whose response contains only an ID', () => {
  const create = ['rooms', 'create', '--name', 'New', '--type', 'open', '--json']

  test('rooms create succeeds after a response with only the ID if the room has the requested name', async () => {
    world.intercept = async (request, next) => {
      const response = await next()
      if (request.method === 'GET') return response
      const { id } = JSON.parse(new TextDecoder().decode(response.body)).room
      return answer(201, { ok: true, id, rev: '1-967a00df' })
    }
    const { code, stdout } = await world.run(create)
    expect({ code, name: JSON.parse(stdout).room.name }).toEqual({ code: 0, name: 'New' })
    expect(reads()).toHaveLength(1)
  })

  test.each(['job-7', () => room])(
    'rooms create exits 7 after a response with only the ID of another item',
    async (id) => {
      answerWrites(true, { id: typeof id === 'string' ? id : id(), status: 'queued' }, 202)
      const { code, stdout, stderr } = await world.run(create)
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
      expect(JSON.parse(stderr).error).not.toHaveProperty('created_id')
    },
  )
})

describe('a name that the service changes', () => {
  const long = 'Algebra and Geometry of the second term'

  test.each([
    ['truncated', (name: string) => name.slice(0, 20)],
    ['lowercase', (name: string) => name.toLowerCase()],
    ['truncated and lowercase', (name: string) => name.slice(0, 20).toLowerCase()],
    ['with a number', (name: string) => `${name} (2)`],
    ['with a date', (name: string) => `${name} [2026-01-02]`],
  ])('rooms create succeeds with a warning if the service changes the name (%s)', async (_what, change) => {
    renameTo(change)
    const { code, stderr } = await world.run(['rooms', 'create', '--name', long, '--type', 'open'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('different spelling: name is '),
    })
  })

  test.each([
    ['another word', (name: string) => `${name}ic`],
    ['a copy', (name: string) => `Copy of ${name}`],
  ])(
    'rooms create exits 7 with the room ID in the error if the service changes the name to %s',
    async (_what, change) => {
      renameTo(change)
      const { code, stderr } = await world.run([
        'rooms',
        'create',
        '--name',
        long,
        '--type',
        'open',
        '--json',
      ])
      expect(code).toBe(7)
      expect(JSON.parse(stderr).error.created_id).toMatch(/^\w{24}$/)
    },
  )

  test('rooms update exits 7 if the service appends a suffix to the name, but 1 if --where read the old name', async () => {
    renameTo((name) => `${name} (2)`)
    expect((await world.run(['rooms', 'update', room, '--name', long])).code).toBe(7)
    const many = ['rooms', 'update', '--where', 'type=private', '--name', 'Other', '--yes', '--json']
    expect(await world.run(many)).toMatchObject({ code: 1, stderr: expect.stringContaining('not_applied') })
  })

  test('rooms create quotes a long name near the difference if the service changes the name', async () => {
    renameTo((name) => name.toLowerCase())
    const { stderr } = await world.run(['rooms', 'create', '--name', `${'x'.repeat(80)} A`, '--type', 'open'])
    expect(stderr).toMatch(/name is “…x+ a”, not “…x+ A”/)
  })

  test('rooms import --match name does not send the room name', async () => {
    renameTo((name) => `Copy of ${name}`)
    world.file('in.csv', 'name,type,layout\nOld,private,grid\n')
    expect((await world.run('rooms import in.csv --match name --if-exists update')).code).toBe(0)
    expect(await world.rooms()).toEqual(['Old'])
  })
})

test('pages create exits 7 if the response contains null instead of the page', async () => {
  answerWrites(true, { pages: [null] })
  expect(await world.run(`pages create ${room} --image https://i.test/a.png`)).toMatchObject({
    code: 7,
    stdout: '',
  })
})

describe('deletions that a read proves', () => {
  test.each([
    ['the room from an earlier read', 'name:Old', () => ({ id: room, name: 'Old' })],
    ['the room ID', 'ID', () => ({ id: room })],
  ])('rooms delete --json prints %s if a read proves the deletion', async (_what, name, shown) => {
    answerWrites(true, {})
    const { code, stdout } = await world.run(['rooms', 'delete', name.replace('ID', room), '--yes', '--json'])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, room: shown() })
  })

  test('users delete --ignore-not-found succeeds if its first response is lost and the user no longer exists', async () => {
    let isLost = true
    world.intercept = async (request, next) => {
      const response = await next()
      if (request.method !== 'DELETE' || !isLost) return response
      isLost = false
      return lost()
    }
    expect((await world.run('users delete ada --yes --ignore-not-found')).code).toBe(0)
    expect(await world.users()).toEqual({})
  })
})

test.each([401, undefined])(
  'workspace apply exits 7 if an outcome is unknown and the next reads fail (status: %s; undefined: no response)',
  async (status) => {
    world.file(
      'w.yaml',
      'users: [{ user_id: ada, name: New }]\nrooms: [{ key: old, name: Old, type: private, layout: grid }]\n',
    )
    await world.run('workspace adopt w.yaml')
    let isSent = false
    world.intercept = async (request, next) => {
      if (request.method === 'GET')
        return isSent ? (status === undefined ? lost() : answer(status, {})) : next()
      isSent = true
      return answer(202, { state: 'queued' })
    }
    const { code, stderr } = await world.run('workspace apply w.yaml --yes --retries 0')
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringContaining('1 with an unknown outcome'),
    })
  },
)

describe('rooms create --if-not-exists', () => {
  const line = 'rooms create --name Old --type private --if-not-exists'
  const show = (change: (item: Record<string, unknown>) => unknown) => {
    world.intercept = async (_request, next) => {
      const response = await next()
      const text = new TextDecoder().decode(response.body)
      const revived = JSON.parse(text, (_key, value) => (value?.application_id ? change(value) : value))
      return answer(response.status, revived)
    }
  }

  test('rooms create --if-not-exists accepts an existing room with a type in capitals', async () => {
    show((item) => ({ ...item, type: String(item['type']).toUpperCase() }))
    expect((await world.run(line)).code).toBe(0)
    expect(world.writes()).toEqual([])
  })

  test('rooms create --if-not-exists exits 1 without a write if responses omit room names', async () => {
    show(({ name: _, ...item }) => item)
    expect(await world.run(line)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the service does not show the names of rooms'),
    })
    expect(world.writes()).toEqual([])
  })
})

test('members block warns if responses omit is_blocked', async () => {
  const hidden = ['is_blocked', 'max_meeting_seconds']
  world.intercept = async (_request, next) => {
    const response = await next()
    const text = new TextDecoder().decode(response.body)
    return answer(
      response.status,
      JSON.parse(text, (key, value) => (hidden.includes(key) ? undefined : value)),
    )
  }
  const created = await world.run([
    'rooms',
    'create',
    '--name',
    'N',
    '--type',
    'private',
    '--member',
    'ada',
    '--json',
  ])
  expect(created).toMatchObject({ code: 0, stderr: '' })
  const { id } = JSON.parse(created.stdout).room
  const { members } = (await world.send('GET', `/rooms/${id}/members`)).body
  expect((await world.run(['members', 'block', id, members[0].id, '--yes'])).stderr).toContain(
    'warning: the service accepted is_blocked, but does not show it',
  )
})
