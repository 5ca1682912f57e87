import { expect, test } from 'vitest'
import { createImportWorld } from '../../helpers/imports.ts'

// In a container, HOME may be unset and the user ID unknown.

const homeless = {
  hasHome: false,
  env: { MEETROOM_CONFIG_DIR: undefined, MEETROOM_DATA_DIR: undefined },
}

async function createHomelessWorld() {
  const world = await createImportWorld()
  await world.send('POST', '/users', { user_id: 'ada' })
  world.file('rooms.csv', 'name,type\nMaths,open\n')
  return Object.assign(world, {
    async runHomeless(line: string) {
      const { code, stdout, stderr } = await world.run(line.split(' '), homeless)
      return { code, stdout, stderr }
    },
  })
}

test.each([
  'users list',
  'users update ada --name Ada',
  'users import rooms.csv --map name=user_id --ignore-unknown',
  'rooms import rooms.csv --no-receipt',
  'rooms import rooms.csv --no-journal',
  'rooms import rooms.csv --dry-run',
  'rooms import rooms.csv --match name --if-exists skip --no-receipt',
  'config list',
  'profiles list',
  '__complete -- users get ad',
])('“%s” exits 0 without a home directory if the base URL and key are in the environment', async (line) => {
  const world = await createHomelessWorld()
  expect(await world.runHomeless(line)).toMatchObject({ code: 0 })
})

const message = (what: string, variable: string) =>
  `error: there is no directory for ${what}, because this account has no home directory\n` +
  `hint: choose a directory with ${variable}, or set HOME\n`

test.each([
  ['rooms list --local', 'data', 'MEETROOM_DATA_DIR'],
  ['rooms import rooms.csv', 'data', 'MEETROOM_DATA_DIR'],
  ['local backup copy.db', 'data', 'MEETROOM_DATA_DIR'],
  ['config path', 'settings', 'MEETROOM_CONFIG_DIR'],
  ['config set timeout 5', 'settings', 'MEETROOM_CONFIG_DIR'],
])(
  '“%s” without a home directory exits 2 and suggests a variable for the %s directory',
  async (line, what, variable) => {
    const world = await createHomelessWorld()
    expect(await world.runHomeless(line)).toEqual({ code: 2, stdout: '', stderr: message(what, variable) })
    expect(world.requests).toEqual([])
  },
)

test('doctor without a home directory exits 1 and reports the missing directories', async () => {
  const world = await createHomelessWorld()
  const { code, stdout } = await world.runHomeless('doctor --local')
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /settings file {2}none, because this account has no home directory; MEETROOM_CONFIG_DIR chooses another directory\n/,
  )
  expect(stdout).toMatch(
    /directory {6}there is no directory for data, because this account has no home directory; choose a directory with MEETROOM_DATA_DIR, or set HOME\n/,
  )
})
