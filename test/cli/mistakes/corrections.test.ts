import { expect, test } from 'vitest'
import { createWorld } from '../../helpers/world.ts'

/** Creates users and rooms; returns a function from a mistake to its message, with `{name}` for the ID of a room. */
async function createHints(): Promise<(line: string) => Promise<string>> {
  const world = await createWorld()
  await world.send('POST', '/users', { user_id: 'ada', name: 'Ada Lovelace' })
  await world.send('POST', '/users', { user_id: 'mmeier', name: 'Maria Meier' })
  const ids: [name: string, id: string][] = []
  for (const [name, type] of [
    ['Physics 10a', 'private'],
    ['Physics 10b', 'open'],
    ['Old club', 'open'],
  ])
    ids.push([`{${name}}`, (await world.send('POST', '/rooms', { name, type })).body.room.id])
  return async (line) => {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    const { stderr } = await world.run(words, { env: { MEETROOM_NO_INPUT: '1' } })
    const text = stderr.replaceAll(' --base-url https://meet.test/v1', '')
    return ids.reduce((shown, [name, id]) => shown.replaceAll(id, name), text)
  }
}

const corrections: readonly (readonly [line: string, hint: string])[] = [
  ["users update name:M.Meier --name 'Maria Maier'", "users update mmeier --name 'Maria Maier'"],
  [
    "rooms create --name Z --type open --member 'Ada Lovelace:host'",
    'rooms create --name Z --type open --member ada:host',
  ],
]

test('each of the listed mistakes suggests the command that was meant', async () => {
  const hintOf = await createHints()
  for (const [line, hint] of corrections)
    expect.soft(await hintOf(line), line).toContain(`meetroom ${hint}\n`)
})

test('a destructive command is suggested for each of the equally near items, without --yes', async () => {
  const hintOf = await createHints()
  for (const flag of ['--yes', '-y']) {
    const shown = await hintOf(`rooms delete 'name:Physics 10' ${flag}`)
    expect(shown).not.toMatch(/--yes|-y\b/)
    for (const room of ['Physics 10a', 'Physics 10b'])
      expect(shown).toContain(`“${room}” ({${room}}): meetroom rooms delete {${room}}`)
    expect(await hintOf(`rooms delete 'name:Old clubs' ${flag}`)).toContain(
      'did you mean “Old club” ({Old club})? meetroom rooms delete {Old club}\n',
    )
  }
})
