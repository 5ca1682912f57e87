import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leaves } from '../../helpers/tree.ts'
import { createWorld } from '../../helpers/world.ts'

test('each command with a header flag exits 2 before the first request if @FILE in the value names a missing file', async () => {
  const world = await createWorld()
  const control = join(world.dir, 'control.json')
  const url = { control_url: 'http://127.0.0.1:1', control_key: 'key-of-the-control' }
  writeFileSync(control, JSON.stringify(url), { mode: 0o600 })
  const needed: Record<string, string> = {
    'api --header': 'GET /rooms',
    'local fail --header': `createRoom --control ${control}`,
    'rooms create --webhook-header': '--name N --type open --webhook-url https://h.test',
    'webhooks listen --require-header': '--port 0',
    'webhooks trigger --header': 'sessionJoined --to http://127.0.0.1:1/',
  }
  const found = (await leaves()).flatMap(({ words, command }) =>
    command.options
      .filter((option) => option.flags.endsWith('<header>'))
      .map(({ long }) => ({ words, long: long ?? '' })),
  )
  expect(found.map(({ words, long }) => [...words, long].join(' ')).sort()).toEqual(Object.keys(needed))
  for (const { words, long } of found) {
    const line = [...words, ...(needed[[...words, long].join(' ')] ?? '').split(' '), long, 'X-Test: @none']
    expect(await world.run(line), line.join(' ')).toMatchObject({
      code: 2,
      stderr: `error: ${long} X-Test: none cannot be read: no such file\n`,
    })
  }
  expect(world.requests).toEqual([])
})

test('a header value that is read from a file is sent, and appears in no output', async () => {
  const world = await createWorld()
  const value = 'value-of-a-private-file'
  writeFileSync(join(world.dir, 'token'), `${value}\n`)
  const header = (flag: string) => [flag, 'X-Test: @token']
  const created = ['rooms', 'create', '--name', 'N', '--type', 'open', '--webhook-url', 'https://h.test']
  for (const argv of [
    ['api', 'GET', '/rooms', ...header('-H')],
    [...created, ...header('--webhook-header')],
    ['webhooks', 'trigger', 'sessionLeft', '--to', 'http://127.0.0.1:1/', ...header('--header')],
  ]) {
    world.requests.length = 0
    expect((await world.run(argv)).code, argv.join(' ')).not.toBe(2)
    expect(JSON.stringify(world.requests), argv.join(' ')).toContain(value)
    for (const flag of ['--dry-run', '--curl', '--verbose']) {
      const { stdout, stderr } = await world.run([...argv, flag])
      expect(stdout + stderr, argv.join(' ')).not.toContain(value)
    }
  }
  const { stdout } = await world.run(['api', 'POST', '/users', ...header('-H'), '--curl'])
  expect(stdout).toContain('-H \'x-test: \'"$X_TEST"')
})
