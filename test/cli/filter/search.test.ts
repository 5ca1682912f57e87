import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldText } from '../../../src/cli/matching/match.ts'
import { otherService } from '../../helpers/other-service.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

async function createUsers(): Promise<void> {
  await world.send('POST', '/users', { user_id: 'jose', name: 'José Müller', email: 'JM@example.com' })
  await world.send('POST', '/users', { user_id: 'lech', name: 'Łódź Straße', email: null })
  await world.send('POST', '/users', { user_id: 'ada', name: 'Ada', email: 'ada@example.org' })
}

async function search(text: string, kind = 'users'): Promise<string> {
  const { code, stdout, stderr } = await world.run([kind, 'list', '--search', text, '-o', 'ids'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trim().replaceAll('\n', ' ')
}

describe('foldText', () => {
  test.each([
    ['Łódź', 'LODZ'],
    ['straße', 'STRASSE'],
    ['Ærøskøbing', 'AEROSKOBING'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['İstanbul', 'istanbul'],
    ['ｗｉｄｅ', 'WIDE'],
    ['Ёлка', 'елка'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['so\u00adft\u200b', 'soft'],
    ['no\u00a0break', 'NO BREAK'],
  ])('foldText returns the same text for “%s” and “%s”', (one, other) => {
    expect(foldText(one)).toBe(foldText(other))
  })

  test.each([
    ['가', '각'],
    ['か', 'が'],
    ['कि', 'का'],
    ['👩', '👨'],
  ])('foldText returns different texts for “%s” and “%s”', (one, other) => {
    expect(foldText(one)).not.toBe(foldText(other))
  })

  test('foldText is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text))
      }),
    )
  })
})

describe('--search', () => {
  test('--search finds users by name, ID and email, regardless of case and accents', async () => {
    await createUsers()
    expect(await search('muller')).toBe('jose')
    expect(await search('STRASSE')).toBe('lech')
    expect(await search('lodz')).toBe('lech')
    expect(await search('jm@EXAMPLE')).toBe('jose')
    expect(await search(' ec ')).toBe('lech')
    expect(await search('nobody')).toBe('')
  })

  test('--search finds rooms by name and ID, regardless of case and accents', async () => {
    const { body } = await world.send('POST', '/rooms', { name: 'Café', type: 'open' })
    await world.send('POST', '/rooms', { name: 'Other', type: 'open' })
    const { id } = body.room
    expect(await search('CAFE', 'rooms')).toBe(id)
    expect(await search(id.slice(4).toUpperCase(), 'rooms')).toBe(id)
  })

  test('--search combines with other flags that filter, sort or count items', async () => {
    await createUsers()
    const run = async (flags: string) => (await world.run(`users list --search e ${flags}`)).stdout
    expect(await run('--sort -user_id -o ids')).toBe('lech\njose\nada\n')
    expect(await run('--sort user_id --limit 1 -o ids')).toBe('ada\n')
    expect(await run('--count')).toBe('3\n')
    expect(await run('--where user_id=ada --count')).toBe('1\n')
    expect(await run('--count-by default_member_type -o tsv')).toBe('default_member_type\tcount\nguest\t3\n')
  })

  test('--search reads all pages and prints the number of matches as the total', async () => {
    for (let i = 0; i < 7; i++) await world.send('POST', '/users', { user_id: `u${i}`, name: `N ${i % 2}` })
    otherService(world, { maxLimit: 2 })
    const { code, stdout } = await world.run('users list --search=n\u00a01 --json')
    const { users, paging } = JSON.parse(stdout)
    expect({ code, count: users.length, paging }).toEqual({
      code: 0,
      count: 3,
      paging: { limit: 3, offset: 0, total: 3 },
    })
  })

  test('--search requests the full record of each user if lists omit emails', async () => {
    await createUsers()
    otherService(world, { minimalLists: true })
    const { code, stdout, stderr } = await world.run('users list --search jm@ -o ids')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'jose\n' })
    expect(stderr).toBe(
      'the service lists each user without some fields; requesting the full users one by one\n',
    )
  })

  test('--search finds users by ID and name if the service omits emails or null fields', async () => {
    await createUsers()
    otherService(world, { without: ['email'] })
    expect(await search('ada')).toBe('ada')
    otherService(world, { leavesNullsOut: true })
    expect(await search('lodz')).toBe('lech')
  })

  test('--search finds rooms with numeric IDs and names', async () => {
    world.intercept = async () =>
      answer(200, { rooms: [{ id: 1234, type: 'open', name: 77 }], paging: { total: 1 } })
    expect(await search('23', 'rooms')).toBe('1234')
    expect(await search('7', 'rooms')).toBe('1234')
  })

  test('--search jo* prints a notice about “*” if nothing matches', async () => {
    const { code, stderr } = await world.run(['users', 'list', '--search', 'jo*'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '--search jo*: “*” is an ordinary character; a part of the text is enough\nno users\n',
    })
  })

  test.each(['', ' ', '\u0301'])(
    '--search exits 2 for the text %j without visible characters',
    async (text) => {
      const { code, stderr } = await world.run(['rooms', 'list', '--search', text])
      expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: --search must not be empty\n' })
    },
  )
})
