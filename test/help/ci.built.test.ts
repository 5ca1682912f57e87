import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { frontOf } from '../helpers/front.ts'
import { hasBash, runJob } from '../helpers/github.ts'
import { programsIn } from '../helpers/programs.ts'
import { runHere } from '../helpers/run-here.ts'
import { blockBehind } from '../helpers/shell.ts'
import { hasTool } from '../helpers/tools.ts'
import { answer, createWorld, type Intercept, type World } from '../helpers/world.ts'
import { share } from '../suites/size.ts'

let world: World
let front: Awaited<ReturnType<typeof frontOf>>
let env: Record<string, string>
beforeEach(async () => {
  world = await createWorld()
  front = await frontOf(world)
  env = { HOME: world.dir, PATH: `${programsIn(join(world.dir, 'bin'))}:${process.env['PATH']}` }
})

const written = (name: string, text: string) => writeFileSync(join(world.dir, name), text)
const users = async () =>
  (await world.send('GET', '/users')).body.users.map(({ user_id }: { user_id: string }) => user_id).sort()

const hasJq = hasTool('jq', 'readme', 'the job for GitHub Actions')

describe.runIf(hasBash && hasJq)('the GitHub Actions recipe', () => {
  const run = (key = world.apiKey) =>
    runJob(
      blockBehind('## GitHub Actions', 'yaml'),
      { secrets: { MEETROOM_API_KEY: key }, vars: { MEETROOM_BASE_URL: front.env.MEETROOM_BASE_URL } },
      world.dir,
      env,
    )

  test('the GitHub Actions recipe succeeds on a second run with the same users', async () => {
    written('people.csv', 'user_id,name\nada,Ada\ngrace,Grace\n')
    for (const _ of ['first', 'again']) expect(await run()).toMatchObject({ code: 0, summary: '' })
    expect(await users()).toEqual(['ada', 'grace'])
  })

  test('the GitHub Actions recipe resumes after a row with an unknown outcome', async () => {
    written('people.csv', 'user_id,name\nada,Ada\n')
    let wrong = 3
    world.intercept = async ({ method }, next) =>
      method === 'GET' || wrong-- <= 0 ? next() : answer(502, '')
    expect(await run()).toMatchObject({ code: 0, summary: '' })
    expect(world.requests.map(({ method }) => method)).toEqual([
      ...['GET', 'GET', 'POST', 'POST', 'POST'],
      // Reads after the writes of the first run, then the requests of the resumed run.
      ...['GET', 'GET', 'GET'],
      ...['GET', 'GET', 'GET', 'POST'],
    ])
    expect(await users()).toEqual(['ada'])
  })

  test('the GitHub Actions recipe exits 8 and reports failed rows in the summary', async () => {
    written('people.csv', 'user_id,name\nada,Ada\nodd,Odd\n')
    world.intercept = async ({ body }, next) =>
      body?.includes('odd') ? answer(400, { error: { message: 'no odd users' } }) : next()
    const { code, log, summary, used } = await run()
    expect({ code, summary, uploads: used.at(-1) }).toEqual({
      code: 8,
      summary: '- row 2: the service refuses the request (400): no odd users\n',
      uploads: 'actions/upload-artifact@v4',
    })
    expect(log).toContain('::error file=people.csv::')
    expect(readFileSync(join(world.dir, 'rejects.csv'), 'utf8')).toContain('odd,Odd')
  })

  test('the GitHub Actions recipe exits 2 for an invalid row and 4 without the secret', async () => {
    written('people.csv', 'user_id,name\nada,Ada\n,Nobody\n')
    expect(await run()).toMatchObject({ code: 2, log: expect.stringContaining('user_id is missing') })
    written('people.csv', 'user_id,name\nada,Ada\n')
    expect(await run('')).toMatchObject({ code: 4 })
    expect(await users()).toEqual([])
  })
})

describe('an import in shards', () => {
  beforeEach(() => written('people.csv', `user_id\n${['ada', 'alan', 'grace', 'linus', 'tim'].join('\n')}\n`))
  const journals = () => readdirSync(world.dir).filter((name) => name.endsWith('.journal'))

  test.runIf(hasBash)(
    'the last shard of the GitHub Actions recipe exits 0 without a remaining journal',
    async () => {
      const text = blockBehind('A job for each shard', 'yaml')
      const secrets = { MEETROOM_API_KEY: world.apiKey }
      const { shard } = (load(text) as any).jobs.import.strategy.matrix
      expect(shard).toEqual([1, 2, 3, 4])
      const here = text.replace('https://meet.example.com/v1', front.env.MEETROOM_BASE_URL)
      const { code, log } = await runJob(here, { secrets, matrix: { shard: '4' } }, world.dir, env)
      expect(code, log).toBe(0)
      expect(journals()).toEqual([])
    },
  )

  test.runIf(hasBash)(
    'the artifact of the GitHub Actions recipe contains the journal and the failed rows of a failed shard',
    async () => {
      const text = blockBehind('A job for each shard', 'yaml').replaceAll(/\$\{\{ matrix.shard }}/g, '4')
      world.intercept = ({ method }, next) => (method === 'POST' ? Promise.resolve(answer(422, {})) : next())
      const here = text.replace('https://meet.example.com/v1', front.env.MEETROOM_BASE_URL)
      const secrets = { MEETROOM_API_KEY: world.apiKey }
      const { code, log } = await runJob(here, { secrets }, world.dir, env)
      expect(code, log).toBe(1)
      const { path } = (load(text) as any).jobs.import.steps.at(-1).with
      const listed = await runCommand('sh', ['-c', `ls ${path.replaceAll('\n', ' ')}`], env, '', {
        cwd: world.dir,
      })
      expect(listed).toEqual({ code: 0, stdout: `failed-4.csv\n${journals()}\n`, stderr: '' })
    },
  )
})

describe('the POSIX sh recipe', () => {
  const run = (shell: string, ...version: string[]) => {
    const [program = '', ...flags] = shell.split(' ')
    written('release-room.sh', blockBehind('## POSIX sh', 'sh'))
    return runCommand(program, [...flags, 'release-room.sh', ...version], { ...env, ...front.env }, '', {
      cwd: world.dir,
    })
  }
  const rooms = async () => (await world.send('GET', '/rooms')).body.rooms
  beforeEach(async () => {
    await world.send('POST', '/users', { user_id: 'release-manager' })
    await world.send('POST', '/rooms', { name: 'Release 0', type: 'private' })
  })

  /** Reports an open session in every room. */
  const online: Intercept = async ({ url }, next) =>
    url.includes('/sessions') ? answer(200, { sessions: [{ id: 's', disconnected_at: null }] }) : next()
  const messages = () => world.requests.filter(({ url }) => url.endsWith('/message'))

  test.each(hasBash ? share(['bash --posix', 'sh'], 0, 2) : ['sh'])(
    'the POSIX sh recipe in %s creates the room of a release and terminates the previous room',
    async (shell) => {
      expect(await run(shell, '1.0 “beta” $(x)', '1')).toEqual({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(/^error: [^\n]*\n(hint: [^\n]*\n)?$/),
      })
      expect(messages()).toEqual([])
      const [room, old] = await rooms()
      expect([room.name, old.name, typeof old.terminated_at]).toEqual([
        ...['Release 1.0 “beta” $(x)', 'Release 0'],
        'string',
      ])
      expect((await world.send('GET', `/rooms/${room.id}/members`)).body.members).toMatchObject([
        { user_id: 'release-manager', type: 'host' },
      ])
    },
  )

  test('the POSIX sh recipe creates one room and sends one message despite unknown outcomes', async () => {
    const [old] = await rooms()
    const unsure = ['/rooms', '/message']
    world.intercept = async (request, next, signal) => {
      const { method, url } = request
      if (method === 'PUT' && url.endsWith(old.id)) return answer(400, {})
      const answered = await online(request, next, signal)
      if (method !== 'POST' || !url.endsWith(unsure[0] ?? '?')) return answered
      unsure.shift()
      return answer(502, '')
    }
    expect(await run('sh', '2')).toMatchObject({ code: 0, stdout: '' })
    expect(unsure).toEqual([])
    expect(await rooms()).toHaveLength(2)
    expect(messages()).toHaveLength(1)
  })

  test.each([
    ['the key is missing', { MEETROOM_API_KEY: '' }, 2],
    ['the key is refused', { MEETROOM_API_KEY: 'wrong-key-0123456789' }, 4],
  ])('the POSIX sh recipe fails without a write if %s', async (_, more, code) => {
    Object.assign(front.env, more)
    expect(await run('sh', '3')).toMatchObject({ code, stdout: '' })
    expect(await rooms()).toHaveLength(1)
  })
})

test('the crontab lines of the cron recipe write the report and import users', async () => {
  const [first = '', ...lines] = blockBehind('## cron', 'crontab').trim().split('\n')
  const jobs = lines.map((line) => line.split(/\s+/).slice(5).join(' '))
  // In a crontab, an unescaped percent sign ends the command.
  for (const job of jobs) expect(job.match(/(?<!\\)%/)).toBeNull()
  const [, path = ''] = /^PATH=(.*)$/.exec(first) ?? []
  const cron = {
    HOME: world.dir,
    SHELL: '/bin/sh',
    PATH: path.replace('/usr/local/bin', join(world.dir, 'bin')),
  }
  for (const name of ['reports', 'people']) mkdirSync(join(world.dir, name))
  writeFileSync(join(world.dir, 'people/people.csv'), 'user_id\nada\n')
  const MEETROOM_CONFIG_DIR = join(world.dir, '.config/meetroom')
  const { MEETROOM_BASE_URL } = front.env
  await runHere(['auth', 'login', '--with-token'], {
    env: { MEETROOM_BASE_URL, MEETROOM_CONFIG_DIR },
    stdin: world.apiKey,
  })
  await world.send('POST', '/rooms', { name: 'Lesson 1', type: 'open' })
  for (const job of jobs)
    expect(await runCommand('/bin/sh', ['-c', job.replaceAll('\\%', '%')], cron)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  expect((await world.send('GET', '/users')).body.users).toMatchObject([{ user_id: 'ada' }])
  const [report = ''] = readdirSync(join(world.dir, 'reports'))
  expect(report).toMatch(/^\d{4}-\d\d-\d\d\.csv$/)
  expect(readFileSync(join(world.dir, 'reports', report), 'utf8')).toMatch(/^room_id,user_id,/)
})
