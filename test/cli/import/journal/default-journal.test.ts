import { readdirSync, renameSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { importFixture, journalOf } from '../../../helpers/imports.ts'
import { answer } from '../../../helpers/world.ts'

const { world, run } = importFixture()
const people = { ada: 'Ada', grace: 'Grace' }
const usersImport = 'users import classes.csv --map Class='
const roomsImport = 'rooms import classes.csv --map Class=name --map name= --type open --ignore-unknown'
beforeEach(() => world.file('classes.csv', 'user_id,name,Class\nada,Ada,7a\ngrace,Grace,7b\n'))

test('users import with a failed row can be resumed after rooms import of the same file', async () => {
  world.intercept = async ({ body }, next) => (body?.includes('grace') ? answer(422, {}) : next())
  expect(await run(usersImport)).toMatchObject({ code: 8 })
  world.intercept = undefined
  expect(await run(roomsImport)).toMatchObject({ code: 0 })
  expect(readdirSync(world.dir)).toContain(journalOf('classes.csv'))
  expect(await run(`${usersImport} --resume`)).toMatchObject({
    code: 0,
    stderr: 'imported 2 of 2 users; 1 recorded as done by an earlier run\n',
  })
  expect(await world.users()).toEqual(people)
  expect(await world.rooms()).toEqual(['7a', '7b'])
  expect(readdirSync(world.dir)).not.toContain(journalOf('classes.csv'))
})

describe('a journal that an earlier version named after the file only', () => {
  const files = () => readdirSync(world.dir).filter((name) => name.startsWith('classes.csv.'))

  test.each([
    ['', ''],
    [' --shard 1/1', ''],
    [' --where name=Ada', '--where selects 1 of 2 rows\n'],
  ])(
    'an unfinished journal of an earlier version makes users import%s exit 2, and --resume completes it after rooms import',
    async (flags, notice) => {
      await world.cutOff(`${usersImport}${flags}`)
      const [name = ''] = files()
      const earlier = name.replace('.users', '')
      renameSync(world.path(name), world.path(earlier))
      expect(await run(`${usersImport}${flags}`)).toMatchObject({
        code: 2,
        stderr:
          `${notice}error: an earlier import (journal ${world.path(earlier)}) did not finish\n` +
          `hint: resume with: meetroom ${usersImport}${flags} --resume --base-url https://meet.test/v1, or delete the journal to start over\n`,
      })
      expect(world.requests).toEqual([])
      expect(await run(roomsImport)).toMatchObject({ code: 0 })
      expect(files()).toEqual([earlier])
      expect(await run(`${usersImport}${flags} --resume`)).toMatchObject({ code: 0 })
      expect(files()).toEqual([])
    },
  )

  test('a file with the name of an earlier journal and other contents exits 2 without a request', async () => {
    world.file('classes.csv.journal', 'my notes\n')
    expect(await run(usersImport)).toMatchObject({
      code: 2,
      stderr: `error: ${world.path('classes.csv.journal')} is not an import journal\n`,
    })
    expect(world.requests).toEqual([])
    expect(world.read('classes.csv.journal')).toBe('my notes\n')
  })
})
