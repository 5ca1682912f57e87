import { expect, test } from 'vitest'
import { TransportError } from '../../../src/api/wire.ts'
import { createImportWorld, journalOf } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'

const world = perTest(createImportWorld)

test.each([
  ['users', 'user_id,name\n'],
  ['rooms', 'name,type\n'],
  ['members', 'room_id,user_id\n'],
])(
  '%s import of a file without rows prints a notice, and --require-rows refuses the file',
  async (kind, header) => {
    world.file('in.csv', header)
    expect(await world.run(`${kind} import in.csv`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('in.csv has no rows; nothing to import\n'),
    })
    expect(await world.run(`${kind} import in.csv --require-rows`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: in.csv has no rows\n'),
    })
    expect(world.requests).toEqual([])
  },
)

test('users import keeps no journal and suggests no --resume if no request can be sent', async () => {
  world.file('in.csv', 'user_id,name\nada,Ada\ngrace,Grace\n')
  world.intercept = async () => {
    throw new TransportError('connection refused', false)
  }
  const { code, stderr } = await world.run('users import in.csv')
  expect(code).toBe(5)
  expect(stderr).not.toContain('--resume')
  expect(world.read(journalOf('in.csv'))).toBeUndefined()
  world.intercept = undefined
  expect((await world.run('users import in.csv')).code).toBe(0)
})
