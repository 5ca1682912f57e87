import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readSamples, readTopicFile } from '../../../helpers/documentation.ts'
import { runHere } from '../../../helpers/run-here.ts'
import { homes, runServe } from '../../../helpers/run-serve.ts'

const seed = {
  users: [{ user_id: 'ada' }],
  rooms: [{ id: 'weekly', name: 'Weekly sync', type: 'open', members: [{ user_id: 'ada' }] }],
}

async function startControlled() {
  const env = homes()
  const file = join(env.HOME, 'control.json')
  const running = await runServe(['--ephemeral', '--control', file], env)
  const { apiKey } = running
  const { control_url, control_key } = JSON.parse(readFileSync(file, 'utf8'))
  const run = (line: string) => runHere(line.split(' '), { env })
  const local = (line: string) => run(`local ${line} --control ${file}`)
  const rooms = (line: string) => runHere(['rooms', ...line.split(' ')], { env: { ...env, ...running.api } })
  /** Stops the service but keeps its control file, as a killed process does. */
  const kill = async () => {
    const left = readFileSync(file)
    await running.stop()
    writeFileSync(file, left)
  }
  return { ...running, env, file, apiKey, control_url, control_key, run, local, rooms, kill }
}

describe('serve --control', () => {
  test('serve --control writes an owner-only control file and deletes the file on exit', async () => {
    const { file, stop, control_url, control_key, apiKey, log } = await startControlled()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(control_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(control_key).toMatch(/^control_[\w-]{32}$/)
    expect(control_key).not.toBe(apiKey)
    await stop()
    expect(existsSync(file)).toBe(false)
    expect(log()).not.toContain(control_key)
  })

  test('serve --control overwrites only the control file of a killed service', async () => {
    const first = await startControlled()
    await first.kill()
    const second = await runServe(['--ephemeral', '--control', first.file], first.env)
    expect(JSON.parse(readFileSync(first.file, 'utf8')).control_key).not.toBe(first.control_key)
    expect(await first.run(`serve --ephemeral --port 0 --control ${first.file}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${first.file} is the control file of a service that still runs\nhint: pass a new file with --control\n`,
    })
    expect((await first.local('clock advance 1h')).code).toBe(0)
    await second.stop()
    const other = join(first.env.HOME, 'notes.txt')
    writeFileSync(other, 'precious')
    expect(await first.run(`serve --ephemeral --port 0 --control ${other}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${other} exists and is not a control file\nhint: pass a new file with --control\n`,
    })
    expect(readFileSync(other, 'utf8')).toBe('precious')
  })

  test('serve --control exits 2 without --ephemeral', async () => {
    expect(await runHere(['serve', '--control', 'c.json'], { env: homes() })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: --control needs --ephemeral, because it can change the clock and delete everything\n' +
        'hint: a workspace on disk can be backed up while it is served: meetroom local backup workspace.db\n',
    })
  })
})

describe('local commands with --control', () => {
  test('local commands with --control change the data, faults and clock of a running service', async () => {
    const { env, local, rooms } = await startControlled()
    const file = join(env.HOME, 'seed.json')
    writeFileSync(file, JSON.stringify(seed))
    expect(await local(`seed ${file} --json`)).toMatchObject({ code: 0, stdout: '{"users":1,"rooms":1}\n' })
    expect((await rooms('list -o ids')).stdout).toBe('weekly\n')
    expect(await local('fail createRoom --status 503 --times 2 --after write --json')).toEqual({
      code: 0,
      stdout: '{"faults":1}\n',
      stderr: '',
    })
    for (const name of ['A', 'B']) expect((await rooms(`create --name ${name} --type open`)).code).toBe(7)
    expect((await rooms('create --name C --type open')).code).toBe(0)
    expect((await rooms('list -o tsv --columns name')).stdout).toBe('name\nC\nB\nA\nWeekly sync\n')
    const frozen = JSON.parse((await local('clock freeze --json')).stdout)
    expect(frozen.is_frozen).toBe(true)
    const advanced = JSON.parse((await local('clock advance 1h --json')).stdout)
    expect(Date.parse(advanced.now) - Date.parse(frozen.now)).toBe(3_600_000)
    expect(JSON.parse((await local('clock resume --json')).stdout).is_frozen).toBe(false)
    await local('fail deleteRoom --status 500')
    expect(await local('reset --json')).toEqual({
      code: 0,
      stdout: `${JSON.stringify({
        ...{ users: 1, rooms: 1 },
        unmatched_faults: ['{"operation":"deleteRoom","status":500}'],
        unknown_operations: [],
      })}\n`,
      stderr: '',
    })
    expect((await rooms('list -o ids')).stdout).toBe('weekly\n')
  })

  test('local commands with --control print JSON that matches their schemas', async () => {
    const { env, local, run } = await startControlled()
    const file = join(env.HOME, 'seed.json')
    writeFileSync(file, JSON.stringify(seed))
    for (const line of ['clock freeze', 'fail createRoom --status 503', `seed ${file}`, 'reset']) {
      const { $schema, ...schema } = JSON.parse((await run(`schema local ${line.split(' ')[0]}`)).stdout)
      const { stdout } = await local(`${line} --json`)
      expect(z.fromJSONSchema(schema).safeParse(JSON.parse(stdout)).error, line).toBeUndefined()
    }
  })

  test('local commands with --control exit 2 for invalid input', async () => {
    const { local, env, run } = await startControlled()
    const bad = join(env.HOME, 'bad.json')
    writeFileSync(bad, '{"users":[{"user_id":"ada","nmae":"Ada"}]}')
    const error = (message: string) => ({ code: 2, stdout: '', stderr: `error: ${message}\n` })
    expect(await local(`seed ${bad}`)).toEqual(
      error('the seed cannot be used: users[0].nmae is not a field of a seed; did you mean name?'),
    )
    for (const name of ['A\0da', '\ud800'])
      for (const items of [{ users: [{ user_id: 'ada', name }] }, { rooms: [{ name, type: 'open' }] }]) {
        writeFileSync(bad, JSON.stringify(items))
        expect((await local(`seed ${bad}`)).stderr).toContain('text must not contain NUL')
      }
    expect((await local('fail creatRoom --status 503')).stderr).toContain(
      'no such operation: “creatRoom”; did you mean createRoom?',
    )
    expect((await local('fail createRoom')).stderr).toContain('a fault needs status, delay or connection')
    expect(await local('clock advance')).toEqual(error('advance needs a duration, as in 1h'))
    expect(await local('clock freeze 1h')).toEqual(error('freeze takes no duration, not “1h”'))
    expect(await local('clock stop')).toEqual(error('<action> must be advance, freeze or resume, not “stop”'))
    expect((await local('clock advance 99999w')).code).toBe(2)
    const missing = join(env.HOME, 'none.json')
    expect(await run(`local clock freeze --control ${missing}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${missing} cannot be read: no such file\nhint: write a control file with: meetroom serve --ephemeral --control ${missing}\n`,
    })
  })

  test('local clock freeze exits 5 if the service of the control file is not running', async () => {
    const { file, kill, run, control_key } = await startControlled()
    await kill()
    const line = `local clock freeze --control ${file}`
    expect(await run(line)).toMatchObject({
      code: 5,
      stderr: `error: the service that wrote ${file} does not respond\nhint: start a new service with: meetroom serve --ephemeral --control ${file}\n`,
    })
    for (const control_url of [
      'http://192.0.2.1:9',
      'https://127.0.0.1:9',
      'http://127.0.0.1@192.0.2.1',
      'x',
    ]) {
      writeFileSync(file, JSON.stringify({ control_url, control_key }))
      expect((await run(line)).stderr).toContain(`${file} is not a control file`)
    }
  })
})

describe('the control listener', () => {
  interface Sent {
    path?: string
    method?: string
    headers?: Record<string, string>
  }

  async function start() {
    const { control_url, control_key, apiKey, ready } = await startControlled()
    const send = ({ path = '/clock/freeze', method = 'POST', headers = {} }: Sent, url = control_url) =>
      new Promise<number | undefined>((resolve, reject) => {
        const all = { authorization: `Bearer ${control_key}`, ...headers }
        const sent = request(url + path, { method, headers: all }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on('error', reject).end()
      })
    return { send, apiKey, control_key, ready }
  }

  test('the control listener accepts only the control key', async () => {
    const { send, apiKey, control_key, ready } = await start()
    expect(await send({})).toBe(200)
    for (const key of [apiKey, `${control_key}x`, ''])
      expect(await send({ headers: { authorization: `Bearer ${key}` } })).toBe(401)
    expect(await send({ path: '/rooms', method: 'GET' }, ready.base_url)).toBe(400)
    expect(
      await send(
        { path: '/rooms', method: 'GET', headers: { authorization: `Bearer ${apiKey}` } },
        ready.base_url,
      ),
    ).toBe(200)
  })

  test('the control listener rejects requests with a disallowed header, method or path', async () => {
    const { send } = await start()
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1', 'http://localhost:4680'])
      expect(await send({ headers: { origin } })).toBe(403)
    for (const host of ['evil.example', '127.0.0.1.evil.example', '192.0.2.1'])
      expect(await send({ headers: { host } })).toBe(403)
    expect(await send({ method: 'GET' })).toBe(404)
    expect(await send({ path: '/rooms' })).toBe(404)
  })
})

test('each “meetroom local” command in the help topic “testing” exits 0 with a running service', async () => {
  const { run, env, file } = await startControlled()
  const seedFile = join(env.HOME, 'seed.json')
  writeFileSync(seedFile, JSON.stringify(seed))
  const lines = readSamples(readTopicFile('testing'))
    .flatMap(({ commands }) => commands)
    .filter((line) => line.startsWith('meetroom local '))
  expect(lines.length).toBeGreaterThan(4)
  for (const line of lines) {
    const filled = line.replace('meetroom ', '').replace('control.json', file).replace('seed.json', seedFile)
    expect(await run(filled), line).toMatchObject({ code: 0 })
  }
})
