import { beforeEach, describe, expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'
import { share } from '../../../suites/size.ts'

const world = perTest(createWorld)

const cells: Record<string, { json: string; said: string }> = {
  'a hundred thousand joined emoji': {
    json: JSON.stringify('👩\u200d'.repeat(100_000)),
    said: '684 KB',
  },
  'a long name': { json: JSON.stringify('n'.repeat(2_000_000)), said: '2 MB' },
  'a long name of wide characters': { json: JSON.stringify('李'.repeat(500_000)), said: '1 MB' },
  'a number of many digits': { json: '1'.repeat(2_000_000), said: '2 MB' },
  'an object with a long text': { json: JSON.stringify({ a: 'n'.repeat(2_000_000) }), said: '2 MB' },
  'control characters': { json: JSON.stringify('\u0007'.repeat(1_000_000)), said: '977 KB' },
}

describe.each(Object.entries(cells))('a field of %s', (name, { json, said }) => {
  const room = `{"id":"r1","type":"open","name":${json}}`
  const bodies = { list: `{"rooms":[${room}]}`, get: `{"room":${room}}` }
  beforeEach(() => {
    world.intercept = async ({ url }) => answer(200, url.includes('/rooms/') ? bodies.get : bodies.list)
  })

  const ways: [string, boolean][] = [
    ['rooms list', false],
    ['rooms get r1', false],
    ['rooms get r1', true],
  ]
  const row = Object.keys(cells).indexOf(name)

  test.each(share(ways, row, ways.length))(
    `the command “%s” with tty=%s shortens a field of ${name} and prints its size`,
    async (line, tty) => {
      const { code, stdout } = await world.run(line, { tty })
      expect(code).toBe(0)
      expect(stdout).toContain(`… (${said}; -o json shows the complete value)`)
      const shortened = stdout.split('\n').find((text) => text.includes('shows the complete value')) ?? ''
      // An escape takes six characters.
      expect(Buffer.byteLength(shortened.replaceAll('\\u0007', '\u0007'))).toBeLessThan(66_000)
    },
  )

  test(`rooms list -o json and rooms get -o csv print the complete field of ${name}`, async () => {
    expect((await world.run('rooms list -o json')).stdout).toBe(bodies.list)
    expect((await world.run('rooms get r1 -o json')).stdout).toBe(bodies.get)
    const cell = json.startsWith('"') ? JSON.parse(json) : json
    const quoted = cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell
    expect((await world.run('rooms get r1 -o csv --columns name')).stdout).toBe(`name\r\n${quoted}\r\n`)
  })
})

test('rooms get prints no part of the API key in a shortened cell', async () => {
  const show = async (name: string) => {
    world.intercept = async () => answer(200, { room: { id: 'r1', type: 'open', name } })
    return (await world.run('rooms get r1 --columns name')).stdout
  }
  const whole = 'n'.repeat(64 * 1024)
  expect(await show(whole)).toBe(`name  ${whole}\n`)
  for (const length of [64 * 1024 - 10, 96 * 1024 - 10]) {
    const shown = await show('n'.repeat(length) + world.apiKey + 'n'.repeat(100_000))
    expect(shown).not.toContain(world.apiKey.slice(0, 5))
  }
})
