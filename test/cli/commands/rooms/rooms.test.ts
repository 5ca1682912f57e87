import { expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

async function room(body: object): Promise<string> {
  return (await world.send('POST', '/rooms', { type: 'open', ...body })).body.room.id
}

test('rooms create --json prints the created room', async () => {
  const created = await world.run([
    'rooms',
    'create',
    '--name',
    'Weekly sync',
    '--type',
    'private',
    '--record',
    '--json',
  ])
  expect(created.stderr).toBe('')
  expect(created.code).toBe(0)
  const { room, paging } = JSON.parse(created.stdout)
  expect(room).toMatchObject({
    name: 'Weekly sync',
    type: 'private',
    record: true,
    is_terminated: '#DEPRECATED#',
  })
  expect(paging).toEqual({ limit: 30, offset: 0, total: 1 })
  const listed = await world.run('rooms list -o ids')
  expect(listed.stdout).toBe(`${room.id}\n`)
})

test('rooms create sends the fields set by its flags', async () => {
  await world.send('POST', '/users', { user_id: 'ada' })
  await world.send('POST', '/users', { user_id: 'grace' })
  const { code } = await world.run([
    ...['rooms', 'create', '--name', 'All', '--type', 'public', '--record', '--max-meeting-seconds', '1m30s'],
    ...['--member', 'ada:host:Dr. Ada: the first', '--member', 'grace'],
    ...['--webhook-url', 'https://hooks.test/a b', '--webhook-header', 'X-Token: 1', '--set', 'layout=grid'],
  ])
  expect(code).toBe(0)
  expect(JSON.parse(world.requests[0]?.body ?? '')).toEqual({
    name: 'All',
    type: 'public',
    record: true,
    max_meeting_seconds: 90,
    members: [{ user_id: 'ada', type: 'host', name: 'Dr. Ada: the first' }, { user_id: 'grace' }],
    webhook: { url: 'https://hooks.test/a%20b', headers: { 'X-Token': '1' } },
    layout: 'grid',
  })
})

test('rooms create exits 2 and names a missing required flag', async () => {
  const { code, stdout, stderr } = await world.run('rooms create --name X')
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: --type (open, public or private) is missing\nhint: see: meetroom rooms create --help\n',
  })
  expect(world.requests).toEqual([])
})

test('rooms list filters by exact name, layout and status', async () => {
  const sync = await room({ name: 'sync', layout: 'grid' })
  const other = await room({ name: 'sync 2' })
  await world.send('PUT', `/rooms/${other}`, { is_terminated: true })
  const ids = async (flags: string) => (await world.run(`rooms list -o ids ${flags}`)).stdout
  expect(await ids('--name sync')).toBe(`${sync}\n`)
  expect(await ids('--layout grid')).toBe(`${sync}\n`)
  expect(await ids('--terminated')).toBe(`${other}\n`)
  expect(await ids('--active')).toBe(`${sync}\n`)
  expect(await ids('--layout nothing')).toBe('')
})

test('rooms get shows one room as a record', async () => {
  const id = await room({ name: 'One' })
  const { stdout, code } = await world.run(`rooms get ${id} --columns id,name,type,status`)
  expect(code).toBe(0)
  expect(stdout).toBe(`id      ${id}\nname    One\ntype    open\nstatus  active\n`)
})

test.each([
  ['terminated', 'terminate'],
  ['active', 'reopen'],
])('rooms update --%s prints a deprecation notice that suggests “rooms %s”', async (flag, verb) => {
  const id = await room({ name: 'Old' })
  expect(await world.run(`rooms update ${id} --${flag} --yes`)).toMatchObject({
    code: 0,
    stderr: `--${flag} is deprecated: use “rooms ${verb}”\n`,
  })
})

test('rooms update changes only the given fields', async () => {
  const id = await room({ name: 'Before' })
  expect(await world.run(['rooms', 'update', id, '--name', 'After'])).toMatchObject({ code: 0 })
  expect(world.requests[0]).toMatchObject({
    method: 'PUT',
    body: '{"name":"After"}',
  })
  expect((await world.send('GET', `/rooms/${id}`)).body.room).toMatchObject({
    name: 'After',
    terminated_at: null,
  })
  expect(await world.run(`rooms update ${id}`)).toMatchObject({
    code: 2,
    stderr: 'error: no fields given: pass at least one field\nhint: see: meetroom rooms update --help\n',
  })
})

test('rooms terminate and rooms reopen change the status of a room', async () => {
  const id = await room({ name: 'R' })
  const terminated = await world.run(`rooms terminate ${id} --yes`)
  expect(terminated).toMatchObject({ code: 0, stderr: 'terminated 1 room\n' })
  expect(world.requests.at(-1)?.body).toBe('{"is_terminated":true}')
  const reopened = await world.run(`rooms reopen ${id}`)
  expect(reopened).toMatchObject({ code: 0, stderr: 'reopened 1 room\n' })
  expect((await world.send('GET', `/rooms/${id}`)).body.room.terminated_at).toBeNull()
})

test('rooms delete - deletes each room ID from stdin once', async () => {
  const ids = [await room({ name: 'a' }), await room({ name: 'b' })]
  const run = await world.run('rooms delete - --yes --json', {
    stdin: `${ids.join('\n')}\n\n${ids[0]}\n`,
  })
  expect(run).toMatchObject({ code: 0, stderr: 'deleted 2 rooms\n' })
  expect(JSON.parse(run.stdout).rooms.map(({ id }: { id: string }) => id)).toEqual(ids)
})

test('rooms delete with one unknown ID deletes the other rooms and exits 8', async () => {
  const id = await room({ name: 'a' })
  const { code, stdout, stderr } = await world.run(`rooms delete nope ${id} --yes -o ids`)
  expect(code).toBe(8)
  expect(stdout).toBe(`${id}\n`)
  expect(stderr).toBe(
    'error: no such room: nope\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n' +
      'error: deleted 1 of 2 rooms; 1 failed\n',
  )
})

test('rooms create overwrites fields of --data with flags and --set', async () => {
  const data = JSON.stringify({
    name: 'data',
    type: 'open',
    extra: 12345678901234567890n.toString(),
  }).replace(/"(\d+)"/, '$1')
  const run = await world.run(
    ['rooms', 'create', '--data', '-', '--type', 'public', '--set', 'name="set"', '--dry-run'],
    {
      stdin: data,
    },
  )
  expect(run).toMatchObject({
    code: 0,
    stdout: 'POST https://meet.test/v1/rooms {"name":"set","type":"public","extra":12345678901234567890}\n',
  })
  expect(world.requests).toEqual([])
})
