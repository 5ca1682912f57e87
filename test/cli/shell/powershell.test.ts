import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPowerShellLine } from '../../../src/cli/shell/powershell.ts'
import { perTest } from '../../helpers/per-test.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const encode = (text: string) => Buffer.from(text).toString('base64')

async function complete(words: readonly string[], replaced = words.at(-1) ?? ''): Promise<string[][]> {
  const argv = ['__complete', 'powershell', encode(['meetroom', ...words].join('\n'))]
  const { code, stdout, stderr } = await world.run(replaced === '' ? argv : [...argv, encode(replaced)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('\t'))
}
const texts = async (words: readonly string[], replaced?: string) =>
  (await complete(words, replaced)).map(([text]) => text)

describe('completion for PowerShell', () => {
  test('completion for PowerShell prints the text, label and description of each candidate', async () => {
    expect(await complete(['sess'])).toEqual([
      ['sessions', 'sessions', 'List, report and watch the sessions of rooms'],
    ])
    expect(await complete(['rooms', 'list', '--output', 'nd'])).toEqual([['ndjson', 'ndjson', 'ndjson']])
  })

  test('completion for PowerShell returns only candidates that begin with the typed text', async () => {
    expect(await texts(['rooms', 'list', '--page-s'])).toEqual(['--page-size'])
    expect(await texts(['rooms', 'list', '--output=nd'])).toEqual(['--output=ndjson'])
    expect(await texts(['rooms', 'list', 'x'])).toEqual([])
  })

  test('completion for PowerShell returns the last list element if PowerShell replaces only that element', async () => {
    expect(await texts(['rooms', 'list', '--columns', 'id,nam'], 'nam')).toEqual(['name'])
    expect(await texts(['rooms', 'list', '--columns', 'id,nam'], 'id,nam')).toEqual(["'id,name'"])
  })

  test.each([
    ['a b', "'a b'"],
    ["it's", "'it''s'"],
    ['it\u2019s', "'it\u2019\u2019s'"],
    ['$(touch pwned)', "'$(touch pwned)'"],
    ['a;b&c|d', "'a;b&c|d'"],
    ['a`b', "'a`b'"],
    ['~', "'~'"],
    ['@x', "'@x'"],
    ['#x', "'#x'"],
    ['*', "'*'"],
    ['007', "'007'"],
    ['1.50', "'1.50'"],
    ['x,y', "'x,y'"],
    ['ada', 'ada'],
    ['66f1a2b3c4d5e6f708192a3b', '66f1a2b3c4d5e6f708192a3b'],
    ['李 👩\u200d👧', "'李 👩\u200d👧'"],
  ])('completion for PowerShell prints the ID %j as %s', async (user_id, text) => {
    await world.send('POST', '/users', { user_id, name: 'N' })
    expect(await complete(['users', 'get', ''])).toEqual([[text, user_id, 'N']])
  })

  test('completion for PowerShell omits IDs with a double quote', async () => {
    await world.send('POST', '/users', { user_id: 'a"b' })
    expect(await complete(['users', 'get', ''])).toEqual([])
  })

  test('completion for PowerShell completes a typed word with quotes or escapes', async () => {
    for (const user_id of ["it's me", 'a$b']) await world.send('POST', '/users', { user_id })
    expect(await texts(['users', 'get', "'it''s"])).toEqual(["'it''s me'"])
    expect(await texts(['users', 'get', '"it\'s'])).toEqual(["'it''s me'"])
    expect(await texts(['users', 'get', 'a`$'])).toEqual(["'a$b'"])
    expect(await texts(['users', 'get', "'"])).toHaveLength(2)
  })

  test('completion for PowerShell offers conditions and the member IDs of the given room', async () => {
    const { room } = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body
    await world.send('POST', '/users', { user_id: 'ada' })
    const { member } = (await world.send('POST', `/rooms/${room.id}/members`, { user_id: 'ada' })).body
    expect(await texts(['members', 'get', room.id, ''])).toEqual([member.id])
    expect(await texts(['rooms', 'list', '--where', 'type=pri'])).toEqual(['type=private'])
    expect(await texts(['rooms', 'list', '--where', "'started"])).toEqual(["'started_at<='"])
  })

  test('readPowerShellLine unquotes any word in single quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', "'", '\u2019', '`', '"', ' ', '$') }), (text) => {
        const quoted = `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}`
        expect(readPowerShellLine(encode(`meetroom\n${quoted}`), '').words).toEqual([text])
        expect(readPowerShellLine(encode(`meetroom\n${quoted}'`), '').words).toEqual([text])
      }),
    )
  })

  test('completion for PowerShell exits 0 if its line is missing or not Base64', async () => {
    expect(await world.run(['__complete', 'powershell', '%%%', '%%%'])).toMatchObject({ code: 0, stderr: '' })
    expect(await world.run(['__complete', 'powershell'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('completion powershell prints an ASCII script that passes the line only in encoded form', async () => {
    const { stdout } = await world.run('completion powershell')
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName meetroom')
    expect(stdout.match(/meetroom __complete .*/g)).toEqual([
      'meetroom __complete powershell (& $encode $line) (& $encode $wordToComplete) 2>$null)',
    ])
  })
})
