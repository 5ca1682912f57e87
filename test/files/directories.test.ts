import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorld } from '../helpers/world.ts'

test.each([
  ['local backup bak/', 'workspace.db'],
  ['local backup /tmp/bak/ --overwrite', 'workspace.db'],
  ['workspace export --out bak/', 'workspace.yaml'],
  ['users delete ada --yes --save bak/', 'saved.ndjson'],
  ['users offboard ada --yes --save bak/', 'saved.ndjson'],
  ['members block --all-rooms --user ada --yes --save bak/', 'saved.ndjson'],
  ['users import users.csv --journal bak/', 'import.journal'],
  ['users import users.csv --failed-out bak/', 'failed.csv'],
  ['workspace diff ws.yaml --out bak/', 'output'],
  ['workspace apply ws.yaml --lock bak/', 'workspace.lock'],
  ['usage --html bak/', 'output'],
  ['sessions report --all-rooms --html bak/', 'output'],
  ['serve --ephemeral --control bak/', 'control.json'],
  ['serve --api-key-file bak/', 'api-key'],
])('%s exits 2 because the path names a directory, and suggests %s in it', async (line, example) => {
  const world = await createWorld()
  await world.run('rooms list --local')
  await world.send('POST', '/users', { user_id: 'ada' })
  const { room } = (await world.send('POST', '/rooms', { name: 'R', type: 'private' })).body
  await world.send('POST', `/rooms/${room.id}/members`, { user_id: 'ada' })
  writeFileSync(join(world.dir, 'users.csv'), 'user_id\ngrace\n')
  writeFileSync(join(world.dir, 'ws.yaml'), 'users:\n  - user_id: grace\n')
  world.requests.length = 0
  const words = line.replace('{room}', room.id).split(' ')
  const path = words.find((word) => word.endsWith('bak/'))
  expect(await world.run(words)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `error: ${path} names a directory\nhint: pass the path of a file, such as ${path}${example}\n`,
  })
  expect(world.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  expect(readdirSync(world.dir)).not.toContain('bak')
})

test.each([
  'local backup {dir}',
  'local backup {dir} --overwrite',
  'workspace export --out {dir}',
  'users delete ada --yes --save {dir}',
])('%s exits 2 if the path is a directory', async (line) => {
  const world = await createWorld()
  await world.run('rooms list --local')
  await world.send('POST', '/users', { user_id: 'ada' })
  const dir = join(world.dir, 'out')
  mkdirSync(dir)
  expect(await world.run(line.replace('{dir}', 'out'))).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `error: ${dir} is a directory\nhint: pass the path of a file in it\n`,
  })
  expect(world.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  expect(readdirSync(dir)).toEqual([])
})
