import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld } from '../../../helpers/imports.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer } from '../../../helpers/world.ts'

const literal = '#DEPRECATED#'
const formats = ['csv', 'ndjson', 'json'] as const

const world = perTest(createImportWorld)

describe('a room name that equals the fixed value of the deprecated fields', () => {
  let id: string
  beforeEach(async () => {
    await world.room('Another')
    id = await world.room(literal)
  })

  test('rooms list and rooms get print the room name #DEPRECATED#', async () => {
    expect((await world.run('rooms list --columns name')).stdout).toContain(literal)
    expect((await world.run(`rooms get ${id} --columns name`)).stdout).toBe(`name  ${literal}\n`)
    expect((await world.run(`rooms get ${id}`)).stdout).toMatch(/^name +#DEPRECATED#$/m)
  })

  test('rooms list --where matches the room name #DEPRECATED#', async () => {
    for (const condition of [`name=${literal}`, 'name~^#dep', 'name!=Another'])
      expect((await world.run(['rooms', 'list', '-o', 'ids', '--where', condition])).stdout).toBe(`${id}\n`)
  })

  test('the prompt of rooms delete shows the room name #DEPRECATED#', async () => {
    const { host, done } = world.start(['rooms', 'delete', id], { tty: true, columns: 400 })
    while (!host.stderr.text.includes('Delete room')) await new Promise((resolve) => setImmediate(resolve))
    host.type('n\n')
    expect((await done).stderr).toContain(`“${literal}”`)
  })

  test('rooms list and rooms get hide the deprecated fields of a room named #DEPRECATED#', async () => {
    for (const line of ['rooms list', `rooms get ${id}`, 'rooms list -o csv'])
      expect((await world.run(line)).stdout.split(literal)).toHaveLength(2)
  })
})

describe('export and import', () => {
  async function exportAndImport(kind: 'rooms' | 'users', format: (typeof formats)[number]) {
    const { stdout } = await world.run(`${kind} export -o ${format}`)
    const other = await createImportWorld()
    other.file(`moved.${format}`, stdout)
    expect(await other.run(`${kind} import moved.${format}`)).toMatchObject({ code: 0 })
    const items: Record<string, unknown>[] = (await other.send('GET', `/${kind}`)).body[kind]
    return items
  }

  test.each(formats)(
    'users and rooms imported from a %s export keep the value #DEPRECATED#',
    async (format) => {
      await world.send('POST', '/users', { user_id: literal, name: literal, email: literal })
      await world.send('POST', '/rooms', { name: literal, type: 'private', layout: literal })
      expect(await exportAndImport('users', format)).toMatchObject([
        { user_id: literal, name: literal, email: literal },
      ])
      expect(await exportAndImport('rooms', format)).toMatchObject([{ name: literal, layout: literal }])
    },
  )

  test.each(['ndjson', 'json'] as const)(
    'users import of a %s export distinguishes an empty name from null',
    async (format) => {
      await world.send('POST', '/users', { user_id: 'ada', name: '' })
      await world.send('POST', '/users', { user_id: 'grace', name: null })
      const names = (await exportAndImport('users', format)).map(({ user_id, name }) => [user_id, name])
      expect(Object.fromEntries(names)).toEqual({ ada: '', grace: null })
    },
  )

  test('users import of a CSV export imports an empty name as null', async () => {
    await world.send('POST', '/users', { user_id: 'ada', name: '' })
    await world.send('POST', '/users', { user_id: 'grace', name: null })
    const names = (await exportAndImport('users', 'csv')).map(({ user_id, name }) => [user_id, name])
    expect(Object.fromEntries(names)).toEqual({ ada: null, grace: null })
  })
})

test('rooms get prints an undocumented field with the value #DEPRECATED#', async () => {
  const room = { id: 'r1', name: 'One', type: 'open', topic: literal, is_recurring: literal }
  world.intercept = async () => answer(200, { room })
  const { stdout } = await world.run('rooms get r1')
  expect(stdout).toContain(`topic   ${literal}\n`)
  expect(stdout).not.toContain('is_recurring')
})
