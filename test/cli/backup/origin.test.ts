import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { baseUrl, createWorld } from '../../helpers/world.ts'

const elsewhere = { env: { MEETROOM_BASE_URL: 'https://other.test/v1' } }

async function createSaved() {
  const world = await createWorld()
  const { room } = (await world.send('POST', '/rooms', { name: 'Maths 7a', type: 'private' })).body
  await world.send('POST', '/users', { user_id: 'ada' })
  await world.send('POST', `/rooms/${room.id}/members`, { user_id: 'ada' })
  await world.run(`users delete ada --yes --save ${join(world.dir, 'users.ndjson')}`)
  await world.run(`rooms delete ${room.id} --yes --save ${join(world.dir, 'rooms.ndjson')}`)
  const writes = () => world.requests.filter(({ method }) => method !== 'GET')
  world.requests.length = 0
  return { world, writes }
}

test.each(['rooms', 'users'])(
  '%s import requires confirmation for records saved from another service',
  async (kind) => {
    const { world, writes } = await createSaved()
    const file = join(world.dir, `${kind}.ndjson`)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ saved_from: baseUrl })
    const run = (flags = '', options = {}) =>
      world.run(`${kind} import ${file} --no-receipt ${flags}`.trim(), { ...elsewhere, ...options })

    const refused = await run('--yes')
    expect(refused).toMatchObject({ code: 10, stdout: '' })
    expect(refused.stderr).toBe(
      `error: the records were saved from ${baseUrl}; importing them into https://other.test/v1 needs confirmation, and there is no terminal for a prompt\n` +
        'hint: pass --from-other-service to confirm in advance\n',
    )
    const preview = await run('--dry-run')
    expect(preview.code).toBe(0)
    expect(preview.stderr).toContain(`warning: the records were saved from ${baseUrl}`)
    expect(writes()).toEqual([])

    const { host, done } = world.start([kind, 'import', file, '--no-receipt'], { ...elsewhere, tty: true })
    setImmediate(() => host.type('n\n'))
    expect((await done).code).toBe(10)
    expect(writes()).toEqual([])

    expect(await run('--from-other-service')).toMatchObject({ code: 0 })
    expect(JSON.stringify(writes().map(({ body }) => body))).not.toContain('saved_from')
  },
)

test('imports require confirmation only for records saved from another service', async () => {
  const { world } = await createSaved()
  expect(await world.run(`users import ${join(world.dir, 'users.ndjson')}`)).toMatchObject({ code: 0 })
  const { code, stderr } = await world.run(`rooms import ${join(world.dir, 'rooms.ndjson')}`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('saved') })
  for (const kind of ['rooms', 'users'])
    for (const format of ['csv', 'ndjson', 'json']) {
      const file = join(world.dir, `export.${format}`)
      writeFileSync(file, (await world.run(`${kind} export -o ${format}`)).stdout)
      const line = `${kind} import ${file} --if-exists skip --no-receipt --no-journal`
      const run = await world.run(line, elsewhere)
      expect({ code: run.code, stderr: run.stderr }, line).toEqual({
        code: 0,
        stderr: expect.not.stringContaining('saved'),
      })
    }
})

test('rooms import prints a notice for saved records without saved_from', async () => {
  const { world } = await createSaved()
  const file = join(world.dir, 'rooms.ndjson')
  const { saved_from: _, ...record } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, `${JSON.stringify(record)}\n`)
  const { code, stderr } = await world.run(`rooms import ${file}`, elsewhere)
  expect(code).toBe(0)
  expect(stderr).toContain(
    'the records do not contain the base URL of their service; this service is https://other.test/v1\n',
  )
})

test('users import into a remote service requires confirmation for records of the local workspace', async () => {
  const { world } = await createSaved()
  const bare = { env: { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined } }
  await world.run('users create ada --local', bare)
  await world.run(`users delete ada --local --yes --save ${join(world.dir, 'local.ndjson')}`, bare)
  const { saved_from } = JSON.parse(readFileSync(join(world.dir, 'local.ndjson'), 'utf8'))
  expect(saved_from).toBe(`the local workspace in ${join(world.dir, 'data')}`)
  expect(await world.run(`users import ${join(world.dir, 'local.ndjson')}`)).toMatchObject({ code: 10 })
  expect(await world.run(`users import ${join(world.dir, 'local.ndjson')} --local`, bare)).toMatchObject({
    code: 0,
  })
})
