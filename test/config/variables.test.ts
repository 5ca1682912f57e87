import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listUnknownVariables, variables } from '../../src/config/variables.ts'
import { createWorld } from '../helpers/world.ts'

const names = (text: string) => [...new Set(text.match(/MEETROOM_[A-Z_]*[A-Z]/g))].sort()
const known = variables.map((name) => `MEETROOM_${name}`).sort()

test('the environment topic lists each MEETROOM_ variable that the code reads', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.ts$/.test(file))
  const all = files.map((file) => readFileSync(join('src', file), 'utf8')).join('\n')
  expect(known).toEqual(expect.arrayContaining(names(all)))
  expect(names(readFileSync('src/help/environment.md', 'utf8'))).toEqual(known)
})

test.each([
  [{ MEETROOM_URL: 'x' }, 'MEETROOM_URL; did you mean MEETROOM_BASE_URL'],
  [{ MEETROOM_API_URL: 'x' }, 'MEETROOM_API_URL; did you mean MEETROOM_BASE_URL'],
  [{ MEETROOM_BASEURL: 'x' }, 'MEETROOM_BASEURL; did you mean MEETROOM_BASE_URL'],
  [{ MEETROOM_APIKEY: 'x' }, 'MEETROOM_APIKEY; did you mean MEETROOM_API_KEY'],
  [{ meetroom_api_key: 'x' }, 'MEETROOM_api_key; did you mean MEETROOM_API_KEY'],
  [{ MEETROOM_KEY: 'x' }, 'MEETROOM_KEY; did you mean MEETROOM_API_KEY'],
  [{ MEETROOM_TOKEN: 'x' }, 'MEETROOM_TOKEN; did you mean MEETROOM_API_KEY'],
  [{ MEETROOM_PROFIL: 'x' }, 'MEETROOM_PROFIL; did you mean MEETROOM_PROFILE'],
  [
    { MEETROOM_URL: 'x', MEETROOM_KEY: 'y' },
    'MEETROOM_URL, MEETROOM_KEY; did you mean MEETROOM_BASE_URL, MEETROOM_API_KEY',
  ],
])('rooms list warns once about the unknown variables %j', async (env, text) => {
  const world = await createWorld()
  await world.run('auth login --with-key', { stdin: world.apiKey })
  const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined, ...env }
  const stderr = `meetroom does not read ${text}?\n`
  for (const line of ['rooms list -o ids', 'rooms list -o json'])
    expect(await world.run(line, { env: bare })).toMatchObject({ code: 0, stderr })
  expect(await world.run('rooms list -o ids --quiet', { env: bare })).toMatchObject({ code: 0, stderr: '' })
})

test('rooms list does not warn about unrelated, empty or redundant variables', async () => {
  const world = await createWorld()
  const env = {
    MEETROOM_TEST_FULL: '1',
    MEETROOM_TEST_NODE: 'node',
    MEETROOM_TEST_SEED: '1',
    MEETROOM_PORT: 'tcp://10.0.0.1:80',
    MEETROOM_SERVICE_HOST: '10.0.0.1',
    MEETROOM_PORT_80_TCP_ADDR: '10.0.0.1',
    MEETROOM_ENV: 'production',
    MEETROOM_PROFIL: '',
    MEETROOM_URL: 'https://meet.test/v1',
    MEETROOM_TOKEN: 'x',
  }
  expect(listUnknownVariables(Object.fromEntries(known.map((name) => [name, 'x'])))).toEqual([])
  expect(await world.run('rooms list -o ids', { env })).toMatchObject({ code: 0, stderr: '' })
})
