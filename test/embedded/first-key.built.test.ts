import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBuilt } from '../helpers/built.ts'
import { tempDir } from '../helpers/world.ts'

test('exactly one of four concurrent commands replaces an empty key file', async () => {
  const dir = join(tempDir(), 'data')
  mkdirSync(dir, { mode: 0o700 })
  const file = join(dir, 'api-key')
  writeFileSync(file, '', { mode: 0o600 })
  const env = { HOME: dir, MEETROOM_DATA_DIR: dir }
  const runs = await Promise.all(
    ['a', 'b', 'c', 'd'].map((id) => runBuilt(['--local', 'users', 'create', id], env)),
  )
  expect(runs.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0, 0])
  expect(runs.filter(({ stderr }) => stderr.includes('was empty'))).toHaveLength(1)
  expect(readFileSync(file, 'utf8')).toMatch(/^local_[\w-]{32}\n$/)
})
