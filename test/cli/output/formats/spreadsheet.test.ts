import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answer, createWorld } from '../../../helpers/world.ts'

const mark = '\ufeff'

test('rooms list -o csv prints decimal commas with --delimiter ; and a byte order mark with --bom', async () => {
  const world = await createWorld()
  const rooms = [{ id: 'r', name: 'Ü;1,5', meeting_time: 1.5, plain: 2 }]
  world.intercept = async () => answer(200, { rooms, paging: { limit: 20, offset: 0, total: 1 } })
  const print = async (...flags: string[]) => {
    const columns = ['--columns', 'name,meeting_time,plain']
    const { stdout } = await world.run(['rooms', 'list', '-o', 'csv', ...columns, ...flags])
    return stdout
  }
  const bytes = await world.run(['rooms', 'list', '-o', 'csv', '--bom'])
  expect(bytes.host.stdout.chunks[0]?.subarray(0, 3).toString('hex')).toBe('efbbbf')
  expect(await print()).toBe('name,meeting_time,plain\r\n"Ü;1,5",1.5,2\r\n')
  expect(await print('--delimiter', ';')).toBe('name;meeting_time;plain\r\n"Ü;1,5";1,5;2\r\n')
  expect(await print('--delimiter', 'tab')).toBe('name\tmeeting_time\tplain\r\nÜ;1,5\t1.5\t2\r\n')
})

test('rooms list -o csv prints local times only with --delimiter or --bom', async () => {
  const world = await createWorld()
  const times = ['2026-11-16T07:00:00.000Z', '2026-07-01T22:30:00', '2026-11-16 09:00:00+02:00', null, 'x']
  const rooms = times.map((created_at, i) => ({ id: `r${i}`, name: times[0], created_at }))
  world.intercept = async () => answer(200, { rooms, paging: { limit: 20, offset: 0, total: rooms.length } })
  const print = async (line: string, env = {}) =>
    (await world.run(`${line} --no-header --columns created_at,name`, { env })).stdout.replaceAll(mark, '')
  const rows = (cells: readonly (string | null)[], separator = ',', end = '\r\n') =>
    cells.map((cell) => `${cell ?? ''}${separator}${times[0]}${end}`).join('')
  const local = ['2026-11-16 08:00:00', '2026-07-02 00:30:00', '2026-11-16 08:00:00', null, 'x']
  const berlin = { MEETROOM_TIME_ZONE: 'Europe/Berlin' }
  expect(await print('rooms list -o csv --bom', berlin)).toBe(rows(local))
  expect(await print('rooms list -o csv --delimiter ; --time-zone Europe/Berlin')).toBe(rows(local, ';'))
  expect(await print('rooms list -o csv', berlin)).toBe(rows(times))
  expect(await print('rooms list -o csv --time-zone Europe/Berlin')).toBe(rows(times))
  expect(await print('rooms list -o tsv', berlin)).toBe(rows(times, '\t', '\n'))
  world.intercept = undefined
  const { body } = await world.send('POST', '/rooms', { name: times[0], type: 'open' })
  expect(await print('rooms export --bom', berlin)).toBe(rows([body.room.created_at]))
})

test.each([
  ['--bom', '--bom cannot be used with the format table', 'rooms list --bom -o csv'],
  [
    '--delimiter ; --json',
    '--delimiter cannot be used with the format json',
    "rooms list --delimiter ';' -o csv",
  ],
  ['--bom --query rooms', '--bom cannot be used with --query', 'rooms list --bom -o csv'],
  ['-o csv --delimiter ab', '--delimiter must be one character or tab, not “ab”', ''],
])('rooms list exits 2 for the flags “%s” with the message “%s”', async (flags, message, meant) => {
  const world = await createWorld()
  const { code, stdout, stderr } = await world.run(`rooms list ${flags}`)
  expect({ code, stdout, requests: world.requests }).toEqual({ code: 2, stdout: '', requests: [] })
  expect(stderr).toContain(message)
  expect(stderr).toContain(meant && `type: meetroom ${meant} --base-url https://meet.test/v1`)
})

test('users import reads a users export with semicolons and a byte order mark', async () => {
  const world = await createWorld()
  for (const user_id of ['ada', 'jörg']) await world.send('POST', '/users', { user_id, name: 'A; "b"' })
  const { stdout } = await world.run('users export --bom --delimiter ;')
  expect(stdout.startsWith(`${mark}user_id;name;`)).toBe(true)
  writeFileSync(join(world.dir, 'users.csv'), stdout)
  await world.send('DELETE', '/users/ada')
  const flags = '--ignore-unknown --failed-out failed.csv --bom --yes'
  expect((await world.run(`users import users.csv ${flags}`)).code).toBe(8)
  expect(await world.send('GET', '/users/ada')).toMatchObject({ body: { user: { name: 'A; "b"' } } })
  const failed = readFileSync(join(world.dir, 'failed.csv'), 'utf8')
  expect(failed).toMatch(new RegExp(`^${mark}user_id;name;.*;reason\\r\\njörg;"A; ""b""";.*already exists`))

  writeFileSync(join(world.dir, 'bars.csv'), 'user_id|name\ngrace|Grace\n')
  expect((await world.run('--delimiter | users import bars.csv')).code).toBe(0)
  expect((await world.run('users import bars.csv --delimiter | --if-exists skip -o csv')).stdout).toMatch(
    /^row,key,status/,
  )
})
