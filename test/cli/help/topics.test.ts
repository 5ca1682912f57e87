import { beforeEach, expect, test } from 'vitest'
import { readTopicFile } from '../../helpers/documentation.ts'
import { createImportWorld, type ImportWorld } from '../../helpers/imports.ts'
import { serveHere } from '../../helpers/serve-here.ts'

/** The files and the rooms that the examples are about. */
const room = '66f1a2b3c4d5e6f708192a3b'
const otherRoom = '66f1a2b3c4d5e6f708192a3c'
const files = {
  'people.csv': 'user_id,name\nada,Ada\ngrace,Grace\nlinus,Linus\n',
  'staff.csv': 'Login;Name\nalan;Alan Türing\n',
  'members.csv': 'user_id,type\nada,host\n',
  'courses.csv': 'name,type,members\nAlgebra,private,ada:host|grace\n',
  'course-members.csv': 'name,type,user_id,member_type\nLogic,private,ada,host\nLogic,private,grace,guest\n',
  'rooms.csv': 'name,type\ntest one,open\ntest two,private\n',
  'user-ids.txt': 'ada\ngrace\n',
}

let world: ImportWorld
/** The service of the profile `new`. */
let other: ImportWorld
let ids: Record<string, string>
beforeEach(async () => {
  world = await createImportWorld()
  other = await createImportWorld()
  for (const user_id of ['ada', 'grace']) await other.send('POST', '/users', { user_id })
  ids = { [room]: await world.room('Room'), [otherRoom]: await world.room('Other room') }
  for (const [name, text] of Object.entries(files))
    world.file(name, Buffer.from(text, name === 'staff.csv' ? 'latin1' : 'utf8'))
})

/** Runs a line as a shell would: quotes, `< FILE` and `> FILE`. */
async function runLine(line: string) {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|[^\s']+/g)].map(
    ([word, single, double]) => single ?? double ?? word,
  )
  const argv: string[] = []
  let stdin: string | undefined
  let target: string | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift())
    if (word === '<') stdin = world.read(words.shift() ?? '')
    else if (word === '>') target = words.shift()
    else argv.push(ids[word] ?? word)
  const profile = argv.indexOf('--profile')
  if (profile >= 0) argv.splice(profile, 2)
  // Doctor connects for itself: there must be something at the other end.
  const env = argv.includes('doctor') ? { MEETROOM_BASE_URL: (await serveHere()).baseUrl } : {}
  const options = { cwd: world.dir, env, ...(stdin !== undefined && { stdin }) }
  const run = await (profile >= 0 ? other : world).run(argv.slice(1), options)
  if (target !== undefined) world.file(target, run.stdout)
  return run
}

/** The command lines in the `sh` blocks of a topic. */
const examplesOf = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n').filter((line) => line.startsWith('meetroom ')),
  )

test.each(['where', 'lists', 'import', 'bulk', 'output', 'agents'])(
  'the examples in the help topic “%s” succeed if they are run in order',
  async (topic) => {
    const lines = examplesOf(readTopicFile(topic))
    expect(lines.length).toBeGreaterThan(2)
    // The examples of --where and bulk are about these.
    if (topic !== 'import')
      for (const line of ['users import people.csv', 'rooms import rooms.csv'])
        expect((await world.run(line)).code).toBe(0)
    for (const line of lines) {
      const { code, stderr } = await runLine(line)
      expect({ code, stderr }, line).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
    }
  },
)

test('the help topic exit-codes contains every exit code of the topics bulk and agents', () => {
  const codesIn = (topic: string) =>
    [...readTopicFile(topic).matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)
  const known = codesIn('exit-codes')
  expect(known.length).toBeGreaterThan(10)
  for (const topic of ['bulk', 'agents']) for (const code of codesIn(topic)) expect(known).toContain(code)
})
