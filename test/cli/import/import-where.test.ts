import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importFixture } from '../../helpers/imports.ts'
import { answer } from '../../helpers/world.ts'

const { world } = importFixture()
const names = async (): Promise<string[]> =>
  (await world.send('GET', '/rooms?limit=100')).body.rooms.map(({ name }: any) => name).sort()
const importing = (...flags: string[]) => world.run(['rooms', 'import', 'saved.ndjson', ...flags])

async function saveRooms() {
  await world.send('POST', '/users', { user_id: 'ada' })
  for (const name of ['Maths 7a', 'Maths 7b', 'Physics', 'Art'])
    await world.send('POST', '/rooms', { name, type: 'private', members: [{ user_id: 'ada', type: 'host' }] })
  const deleted = await world.run('rooms delete --where type=private --yes --save saved.ndjson')
  expect(deleted.code).toBe(0)
}

describe('rooms import --where', () => {
  test('rooms import of a whole file creates only the missing rooms after two imports with --where', async () => {
    await saveRooms()
    const maths = ['--where', 'name~^maths']
    const dry = await importing(...maths, '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([
      0,
      expect.stringContaining('--where selects 2 of 4 rows\nwould create 2,'),
    ])
    expect(await importing(...maths)).toMatchObject({
      code: 0,
      stderr: '--where selects 2 of 4 rows\nimported 2 of 2 rooms\n',
    })
    expect(await names()).toEqual(['Maths 7a', 'Maths 7b'])
    expect(await importing(...maths)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('2 of 2 rows were imported before'),
    })
    const overlap = await importing('--where', 'name~Maths 7a|Art')
    expect([overlap.code, overlap.stderr]).toEqual([
      0,
      '--where selects 2 of 4 rows\n1 of 2 rows were imported before with --where, and their rooms exist; these rows are omitted\nimported 1 of 1 room\n',
    ])
    expect(await importing()).toMatchObject({
      code: 0,
      stderr:
        '3 of 4 rows were imported before with --where, and their rooms exist; these rows are omitted\nimported 1 of 1 room\n',
    })
    expect(await names()).toEqual(['Art', 'Maths 7a', 'Maths 7b', 'Physics'])
    expect((await importing('--where', 'name=Physics')).code).toBe(2)
    expect(await names()).toHaveLength(4)
    const [{ id }] = (await world.send('GET', '/rooms?name=Art')).body.rooms
    expect((await world.send('GET', `/rooms/${id}/members`)).body.members).toMatchObject([
      { user_id: 'ada', type: 'host' },
    ])
  })

  test('rooms import --where restores a part again if its rooms are deleted, and resumes an interrupted part', async () => {
    await saveRooms()
    expect((await importing('--where', 'name=Art')).code).toBe(0)
    await world.run('rooms delete --where name=Art --yes')
    expect((await importing('--where', 'name~Art|Physics')).code).toBe(0)
    expect(await names()).toEqual(['Art', 'Physics'])
    const maths = ['--where', 'name~Maths', '--concurrency', '1']
    let posts = 0
    world.intercept = async (request, next) =>
      request.method === 'POST' && ++posts > 1 ? answer(401, {}) : next()
    expect((await importing(...maths)).code).toBe(8)
    world.intercept = undefined
    expect(await importing()).toMatchObject({ code: 2, stderr: expect.stringContaining('did not finish') })
    expect((await importing(...maths, '--resume')).code).toBe(0)
    expect((await importing()).stderr).toContain('4 of 4 rows were imported before with --where')
    expect(await names()).toEqual(['Art', 'Maths 7a', 'Maths 7b', 'Physics'])
    expect(readdirSync(world.dir).filter((name) => name.includes('where'))).toEqual([])
  })

  test('users import --where selects rows of a CSV file by mapped columns, and prints the number of selected rows', async () => {
    world.file('people.csv', 'Login,Full name,default_member_type\na,Ada,host\nb,Bea,\nc,Cleo,HOST\n')
    const line = ['users', 'import', 'people.csv', '--map', 'Login=user_id', '--map', 'Full name=name']
    expect(await world.run([...line, '--where', 'default_member_type=host', '-o', 'ndjson'])).toMatchObject({
      code: 0,
      stderr: '--where selects 2 of 3 rows\nimported 2 of 2 users\n',
      stdout: expect.stringMatching(/"row":1,"key":"a".*\n.*"row":3,"key":"c"/),
    })
    expect(await world.run([...line, '--where', 'name=nobody'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('no row of people.csv matches --where; nothing to import\n'),
    })
    expect(await world.run(['rooms', 'import', 'people.csv', '--where', 'members=0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: --where: members is not a field of a row\n'),
    })
    expect((await world.run([...line, '--where', 'nam=x'])).stderr).toContain('no user has a field “nam”')
  })
})

test('a saved file keeps all its records after rooms import --where imports a part', async () => {
  await saveRooms()
  const before = readFileSync(join(world.dir, 'saved.ndjson'), 'utf8')
  await importing('--where', 'name=Art')
  expect(readFileSync(join(world.dir, 'saved.ndjson'), 'utf8')).toBe(before)
})
