import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorld } from '../helpers/world.ts'

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
