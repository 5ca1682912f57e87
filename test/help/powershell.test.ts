import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { argvOf, commandLines, meansSomethingToCmd, readLine, type Variables } from '../helpers/powershell.ts'
import { blockBehind } from '../helpers/shell.ts'
import { answer, createWorld } from '../helpers/world.ts'

const home = 'C:\\Users\\Ada Lovelace'
const variables: Record<string, string> = {
  'env:USERPROFILE': home,
  'env:APPDATA': `${home}\\AppData\\Roaming`,
  'env:TEMP': `${home}\\AppData\\Local\\Temp`,
}
const script = blockBehind('## Windows PowerShell', 'powershell')
for (const [, name = '', value = ''] of script.matchAll(/^\$(\w+) = ("[^"]*")$/gm))
  variables[name] = readLine(value, variables).join()
const lines = [...script.matchAll(/^ *meetroom (.*)$/gm)].map(([, line = '']) => line)

test('each version of PowerShell passes the arguments of the recipe unchanged', () => {
  for (const line of lines) {
    const words = readLine(line, variables)
    for (const inOneLine of Object.values(commandLines)) expect(argvOf(inOneLine(words))).toEqual(words)
  }
  const all = lines.map((line) => commandLines.new(readLine(line, variables)))
  expect(all.filter(meansSomethingToCmd)).toHaveLength(1)
})

test('the function of the PowerShell recipe starts the program in the global npm directory', () => {
  const [, start = ''] = /^function meetroom \{ node (.*) @args \}$/m.exec(script) ?? []
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8'))
  const installed = `${home}\\AppData\\Roaming\\npm\\node_modules\\meetroom\\${bin.meetroom.replaceAll('/', '\\')}`
  expect(readLine(start, variables)).toEqual([installed])
})

test('the commands of the PowerShell recipe accept arguments with spaces', async () => {
  const world = await createWorld()
  const written = (name: string, text: string) => writeFileSync(join(world.dir, name), text)
  written('people.csv', '\uFEFFuser_id,Full name\r\nada,Ada Löwe\r\nodd,Odd\r\n')
  written('layout.json', '{"layout":"grid"}')
  for (const name of ['Weekly sync', 'Team ä']) await world.send('POST', '/rooms', { name, type: 'open' })
  // Adapts paths to this machine, and the age to the new rooms.
  const here = (word: string) => word.replace(/^C:.*\\/, `${world.dir}/`).replace('age>90d', 'age<90d')
  const run = (line = '') => world.run(readLine(line, variables).map(here))
  const [first, resumed, update, list, ...more] = lines
  expect(more).toEqual([])
  world.intercept = async ({ body }, next) => (body?.includes('odd') ? answer(400, {}) : next())
  expect(await run(first)).toMatchObject({ code: 8 })
  world.intercept = undefined
  expect(await run(resumed)).toMatchObject({ code: 0 })
  expect(await run(update)).toMatchObject({ code: 0, stdout: expect.stringContaining('grid') })
  expect(await run(list)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^id,name\r\n\w{24},Team ä\r\n$/),
  })
})

describe('the arguments of a program on Windows', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '"', '\\', 'ä', '^') })

  test('PowerShell 7.3 and newer pass arguments unchanged', () => {
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(argvOf(commandLines.new(words))).toEqual(words)
      }),
    )
  })

  test('Windows PowerShell changes only empty arguments, double quotes and final backslashes', () => {
    const isSafe = (text: string) => text !== '' && !/"|\s.*\\$/s.test(text)
    fc.assert(
      fc.property(fc.array(word.filter(isSafe)), (words) => {
        expect(argvOf(commandLines.old(words))).toEqual(words)
      }),
    )
    for (const bad of ['', '{"a":"b c"}', 'a b\\'])
      expect(argvOf(commandLines.old(['x', bad, 'y']))).not.toEqual(['x', bad, 'y'])
  })

  // Examples from Microsoft’s C documentation.
  test.each([
    ['"a b c" d e', ['a b c', 'd', 'e']],
    ['"ab\\"c" "\\\\" d', ['ab"c', '\\', 'd']],
    ['a\\\\\\b d"e f"g h', ['a\\\\\\b', 'de fg', 'h']],
    ['a\\\\\\"b c d', ['a\\"b', 'c', 'd']],
    ['a\\\\\\\\"b c" d e', ['a\\\\b c', 'd', 'e']],
  ])('argvOf parses the Windows command line %s', (line, words) => expect(argvOf(line)).toEqual(words))

  test.each(['--limit 5', 'a,b', '@file', '{x}', 'age>90d', "'a'b", '"`n"', '"$other"'])(
    'readLine rejects the PowerShell syntax “%s”',
    (line) => expect(() => readLine(line, variables satisfies Variables)).toThrow(),
  )
})
