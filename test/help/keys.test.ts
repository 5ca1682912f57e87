import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorld } from '../helpers/world.ts'

const topic = readFileSync(join(import.meta.dirname, '../../src/help/config.md'), 'utf8')
const newKey = 'a-new-key-of-the-service'

test('the key rotation recipe replaces the key of two profiles in seven lines', async () => {
  const world = await createWorld()
  const [, recipe = ''] = /## Rotate a key[\s\S]*?```sh\n([\s\S]*?)```/.exec(topic) ?? []
  const lines = recipe.trimEnd().split('\n')
  expect(lines).toHaveLength(7)
  // The service accepts both keys.
  world.intercept = (request, next) =>
    request.headers.authorization === `Bearer ${newKey}`
      ? next({ ...request, headers: { ...request.headers, authorization: `Bearer ${world.apiKey}` } })
      : next()
  const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
  for (const name of ['default', 'staging']) {
    const logIn = `auth login --profile ${name} --base-url https://meet.test/v1 --with-key`
    expect((await world.run(logIn, { env, stdin: world.apiKey })).code).toBe(0)
  }
  const fingerprints: string[][] = []
  for (const line of lines) {
    const [, args = ''] = /^meetroom (.*?)(?: < key\.txt)?$/.exec(line) ?? []
    if (args === '') continue
    const { code, stdout } = await world.run(`${args}${args.includes('status') ? ' --json' : ''}`, {
      env,
      ...(line.endsWith('< key.txt') && { stdin: newKey }),
    })
    expect(code).toBe(0)
    if (!args.includes('status')) continue
    const { items } = JSON.parse(stdout)
    expect(items.map(({ works }: { works: boolean }) => works)).toEqual([true, true])
    fingerprints.push(items.map(({ key_fingerprint }: { key_fingerprint: string }) => key_fingerprint))
  }
  const [before = [], after = []] = fingerprints
  expect(new Set(before).size).toBe(1)
  expect(new Set(after).size).toBe(1)
  expect(after[0]).not.toBe(before[0])
})
