import { existsSync } from 'node:fs'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { pipeTo } from '../../helpers/built.ts'
import { frontOf } from '../../helpers/front.ts'
import {
  createImportWorld,
  type ImportWorld,
  lost,
  resultsOf,
  roomsCsv,
  roomsOf,
  usersCsv,
  usersOf,
} from '../../helpers/imports.ts'
import { latch, soon } from '../../helpers/waiting.ts'
import { answer } from '../../helpers/world.ts'

vi.setConfig({ testTimeout: 60_000 })

let world: ImportWorld
let built: Awaited<ReturnType<typeof frontOf>>
beforeEach(async () => {
  world = await createImportWorld()
  built = await frontOf(world)
})

const lines = (text: string) => text.split('\n').slice(0, -1)

describe('an import', () => {
  test('users import exits immediately after a second ^C, and can be resumed', async () => {
    const underWay = latch()
    // No response arrives at first. An import that has sent no write would remove its journal.
    world.intercept = (_request, _next, signal) => {
      underWay.open()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    world.file('in.csv', usersCsv(20))
    const { child, ended, logged } = built.start('users import in.csv --if-exists overwrite')
    await soon('the first request', underWay.opened)
    child.kill('SIGINT')
    await logged(/press \^C again/)
    const began = performance.now()
    child.kill('SIGINT')
    expect(await ended()).toEqual({ code: null, signal: 'SIGINT' })
    expect(performance.now() - began).toBeLessThan(4000)
    world.intercept = undefined
    expect(await built.here('users import in.csv --if-exists overwrite --resume')).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual(usersOf(20))
  })

  test('users import and rooms import restore saved records over a real connection', async () => {
    const run = async (line: string) => {
      const { code, stdout } = await built.here(line)
      expect({ line, code }).toEqual({ line, code: 0 })
      return stdout.trim()
    }
    await run('users create mallory --name Mallory')
    const room = await run('rooms create --name Board --type private --member mallory:host -o ids')
    await run('users offboard mallory --yes --save mallory.ndjson')
    await run('users import mallory.ndjson')
    expect(await run('users rooms mallory --columns room_id,type,is_blocked --no-header')).toBe(
      `${room}  host  false`,
    )
    await run(`members block --user mallory --all-rooms --yes`)
    await run(`rooms terminate ${room} --yes`)
    await run(`rooms delete ${room} --yes --save room.ndjson`)
    const back = JSON.parse(await run('rooms import room.ndjson -o ndjson')).id
    expect(await run('users rooms mallory --columns room_id,type,is_blocked --no-header')).toBe(
      `${back}  host  true`,
    )
    expect(await run(`rooms get ${back} --columns status`)).toContain('terminated')
  })

  test('users import reads CSV and NDJSON exports with special characters in names from standard input', async () => {
    const names = ['=1+1', "'=x", 'a "quoted", name', 'two\nlines', 'x\ufeffx', 'in  side', '😀 漢字', '-1']
    for (const [i, name] of names.entries()) await world.send('POST', '/users', { user_id: `u${i}`, name })
    const before = await world.users()
    for (const format of ['csv', 'ndjson']) {
      const { stdout } = await built.here(`users export -o ${format}`)
      for (const i of names.keys()) await world.send('DELETE', `/users/u${i}`)
      expect(await built.here(`users import - --input-format ${format}`, stdout), format).toMatchObject({
        code: 0,
        stderr: 'imported 8 of 8 users\n',
      })
      expect(await world.users(), format).toEqual(before)
    }
  })

  test('users import reads a pipe in which a character is split between two chunks', async () => {
    const script = `(printf 'user_id,name\\nada,\\360\\237'; sleep 0.2; printf '\\230\\200\\n') | meetroom users import - --input-format csv`
    expect(await built.shell(script)).toMatchObject({ code: 0, stderr: 'imported 1 of 1 user\n' })
    expect(await world.users()).toEqual({ ada: '😀' })
  })

  test('users import sends no request for a file whose last two rows are invalid', async () => {
    world.file('people.csv', `${usersCsv(500)}u1,again\n,nobody\n`)
    const { code, stderr } = await world.run('users import people.csv')
    expect({ code, places: stderr.match(/people\.csv:\d+/g)?.sort(), requests: world.requests }).toEqual({
      code: 2,
      places: ['people.csv:502', 'people.csv:503'],
      requests: [],
    })
  })

  test('users import sends no request for a file that is not UTF-8', async () => {
    world.file('people.csv', Buffer.from('user_id,name\nada,Ad\xe9le\n', 'latin1'))
    const { code, stderr } = await world.run('users import people.csv')
    expect({ code, at: stderr.match(/byte offset \d+/g), requests: world.requests }).toEqual({
      code: 2,
      at: ['byte offset 19'],
      requests: [],
    })
  })

  test('users import writes failed rows to a file that can be fixed and imported', async () => {
    await world.send('POST', '/users', { user_id: 'u2', name: 'Old' })
    world.file('people.csv', usersCsv(3))
    expect(await world.run('users import people.csv --failed-out again.csv')).toMatchObject({ code: 8 })
    world.file('again.csv', world.read('again.csv')?.replace('u2,', 'u4,') ?? '')
    expect(await world.run('users import again.csv')).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual({ u1: 'N1', u2: 'Old', u3: 'N3', u4: 'N2' })
  })

  test('rooms import creates each room once if a connection is reset', async () => {
    world.file('in.csv', roomsCsv(4))
    world.intercept = async (request, next) => {
      const done = await next()
      return request.body?.includes('"R3"') ? lost() : done
    }
    const { code, stdout } = await world.run('rooms import in.csv -o ndjson')
    expect({ code, statuses: resultsOf(stdout).map(({ status }) => status) }).toEqual({
      code: 8,
      statuses: ['ok', 'ok', 'unknown', 'ok'],
    })
    world.intercept = undefined
    expect(await world.run('rooms import in.csv --resume')).toMatchObject({ code: 8 })
    expect(await world.rooms()).toEqual(roomsOf(4))
  })

  test('users import --if-exists overwrite creates every user despite occasional 429 responses', async () => {
    world.file('in.csv', usersCsv(40))
    let count = 0
    world.intercept = async (_request, next) =>
      ++count % 4 === 0 ? answer(429, {}, { 'retry-after': '0' }) : next()
    expect(await world.run('users import in.csv --if-exists overwrite')).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual(usersOf(40))
  })

  test('users import interrupted by ^C is completed by the printed command', async () => {
    world.file("o'neill & co.csv", usersCsv(60))
    world.intercept = async (_request, next) => {
      if (world.requests.length === 20) program.child.kill('SIGINT')
      return next()
    }
    const program = built.start(['users', 'import', "o'neill & co.csv", '--if-exists', 'overwrite'])
    expect(await program.ended()).toEqual({ code: 130, signal: null })
    world.intercept = undefined
    const [, command = ''] = /resume with: (meetroom .*)$/.exec(program.log()) ?? []
    expect(await built.shell(command)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^imported 60 of 60 users; \d+ recorded as done by an earlier run\n$/),
    })
    expect(world.requests).toHaveLength(60)
    expect(await world.users()).toEqual(usersOf(60))
  })

  test('users import resumes from the journal of a killed import, but refuses the journal of a running import', async () => {
    world.file('in.csv', usersCsv(20))
    const underWay = latch()
    world.intercept = (_request, _next, signal) => {
      underWay.open()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const first = built.start('users import in.csv')
    await soon('the first request', underWay.opened)
    const second = await built.run('users import in.csv --resume')
    expect({ code: second.code, stderr: second.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`(process ${first.child.pid})`),
    })
    first.child.kill('SIGKILL')
    await first.ended()
    world.intercept = undefined
    expect(await built.here('users import in.csv --resume')).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual(usersOf(20))
  })

  test.runIf(existsSync('/dev/full'))(
    'rooms import creates every room once if it is resumed after a full disk',
    async () => {
      world.file('in.csv', roomsCsv(30))
      expect(await built.shell('meetroom rooms import in.csv -o ndjson > /dev/full')).toMatchObject({
        code: 74,
      })
      expect(await built.here('rooms import in.csv --resume')).toMatchObject({ code: 0 })
      expect(await world.rooms()).toEqual(roomsOf(30))
    },
  )

  test('users import imports every row after the reader of the results closes the pipe', async () => {
    world.file('in.csv', usersCsv(60))
    const { stdout } = await built.shell(pipeTo('meetroom users import in.csv -o ndjson', 'head -1'))
    expect(lines(stdout).at(-1)).toBe('0')
    expect(await world.users()).toEqual(usersOf(60))
  })
})

describe('an export', () => {
  const fill = async (count: number, metadata: string) => {
    for (let i = 0; i < count; i++)
      await world.send('POST', '/rooms', { name: `R${i}`, type: 'open', metadata })
  }

  test('rooms export exits 0 without a message if the reader closes the pipe during a page', async () => {
    // More than the capacity of a pipe.
    await fill(100, 'x'.repeat(2000))
    const script = pipeTo('meetroom rooms export -o ndjson --page-size 10', 'head -1 | wc -l')
    expect(await built.shell(script)).toEqual({ code: 0, stdout: '1\n0\n', stderr: '' })
  })

  test('rooms export prints the pages before a failed page, and exits 6', async () => {
    await fill(25, '')
    world.intercept = async (request, next) => (request.url.includes('offset=20') ? answer(503, {}) : next())
    const { code, stdout } = await world.run('rooms export --page-size 10 -o ndjson --retries 0')
    expect({ code, items: lines(stdout).length }).toEqual({ code: 6, items: 20 })
  })
})

describe('rooms delete', () => {
  const exist = async () => (await world.rooms()).length

  test('rooms delete deletes the rooms whose IDs it reads from rooms list through a pipe', async () => {
    for (let i = 0; i < 30; i++) await world.room(`R${i}`)
    const list = `meetroom rooms list --all -o ids --where 'name~^R1'`
    expect(await built.shell(`${list} | meetroom rooms delete - --yes --max 20`)).toMatchObject({
      code: 0,
      stderr: 'deleted 11 rooms\n',
    })
    expect(await exist()).toBe(19)
  })

  test('rooms delete deletes the other rooms if some rooms are missing, and exits 8, or 0 with --ignore-not-found', async () => {
    const [one, two] = [await world.room('one'), await world.room('two')]
    expect(await world.run(`rooms delete nope ${one} .. --yes -o ids`)).toMatchObject({
      code: 8,
      stdout: `${one}\n`,
    })
    expect(await world.run(`rooms delete nope ${two} --yes --ignore-not-found`)).toMatchObject({ code: 0 })
    expect(await exist()).toBe(0)
  })

  test('rooms delete exits 7 if every connection is reset after the service acts', async () => {
    const [one, two] = [await world.room('one'), await world.room('two')]
    world.intercept = async (_request, next) => {
      await next()
      return lost()
    }
    expect(await world.run(`rooms delete ${one} ${two} --yes --retries 0`)).toMatchObject({ code: 7 })
    expect(await exist()).toBe(0)
  })

  test('rooms delete deletes the remaining rooms after the reader of the output closes the pipe', async () => {
    for (let i = 0; i < 40; i++) await world.room(`R${i}`)
    const script = pipeTo('meetroom rooms delete --where name~^R --yes --max 40 -o ids', 'head -1 | wc -l')
    expect(await built.shell(script)).toMatchObject({ stdout: '1\n0\n' })
    expect(await exist()).toBe(0)
  })

  test('rooms delete exits 130 after ^C and deletes exactly the rooms whose requests were sent', async () => {
    const ids: string[] = []
    for (let i = 0; i < 30; i++) ids.push(await world.room(`R${i}`))
    world.intercept = async (_request, next) => {
      if (world.requests.length === 10) program.child.kill('SIGINT')
      return next()
    }
    const program = built.start(`rooms delete ${ids.join(' ')} --yes --max 30 --concurrency 1`)
    expect(await program.ended()).toEqual({ code: 130, signal: null })
    expect(await exist()).toBe(30 - world.requests.length)
    expect(program.log()).toContain(`deleted ${world.requests.length} of 30 rooms`)
  })
})
