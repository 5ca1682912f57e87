import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createWorld, type World } from '../../helpers/world.ts'

let world: World

beforeEach(async () => {
  world = await createWorld()
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(world.dir, name), content)
  write('latin1.csv', Buffer.from('user_id,name\nada,Ren\xe9\n', 'latin1'))
  write('empty.csv', 'user_id\n')
  write('utf8.csv', 'user_id,name\nada,Käthe Groß\n')
})

const hintOf = async (line: string, options = {}) => {
  const { code, stderr } = await world.run(line, options)
  expect(code, line).toBe(2)
  return stderr.split('\n').findLast((text) => text.startsWith('hint: '))
}

test.each([
  [
    'rooms list --limit 0 -o ids',
    'for all items: meetroom rooms list -o ids --all --base-url https://meet.test/v1',
  ],
  [
    'rooms list --where=type=opn --quiet',
    'did you mean: meetroom rooms list --where=type=open --quiet --base-url https://meet.test/v1',
  ],
  [
    'rooms list --where=type=open,private --where name=x',
    "“,” is an ordinary character; for several values: meetroom rooms list --where 'type~^(open|private)$' --where name=x --base-url https://meet.test/v1",
  ],
  [
    'sessions report --all-rooms --missed 2 --by=room',
    'type: meetroom sessions report --all-rooms --missed 2 --by user-total --base-url https://meet.test/v1',
  ],
  [
    'users import latin1.csv --encoding utf-8',
    'save the file as UTF-8, or pass its encoding: meetroom users import latin1.csv --encoding windows-1252 --base-url https://meet.test/v1',
  ],
  [
    'users import utf8.csv --encoding=utf-16le',
    'type: meetroom users import utf8.csv --base-url https://meet.test/v1',
  ],
  [
    'users import empty.csv --require-rows --yes',
    'to accept an empty file: meetroom users import empty.csv --base-url https://meet.test/v1',
  ],
  [
    'rooms list --json --bom --query rooms',
    'type: meetroom rooms list --bom -o csv --base-url https://meet.test/v1',
  ],
])('the hint of the failed command “%s” suggests the command with corrected flags', async (line, hint) => {
  const { stderr } = await world.run(line)
  const [, printed = ''] = /"hint":("(?:[^"\\]|\\.)*")/.exec(stderr) ?? []
  expect(printed === '' ? await hintOf(line) : `hint: ${JSON.parse(printed)}`).toBe(`hint: ${hint}`)
})

test('the hint about --skip-invalid suggests no command if users import reads standard input', async () => {
  const stdin = 'user_id,name\n,x\nada,A\n'
  expect(await hintOf('users import - --input-format csv', { stdin })).toBe(
    'hint: fix the rows, or pass --skip-invalid to skip them',
  )
})

test('api --paginate --include suggests no command line if a header may contain a secret', async () => {
  const line = ['api', 'GET', '/rooms', '--paginate', '-i', '-H', 'X-Token: s3cret-value']
  const { code, stderr } = await world.run(line)
  expect({ code, hint: stderr.split('\n')[1] }).toEqual({ code: 2, hint: 'hint: omit --include' })
})
