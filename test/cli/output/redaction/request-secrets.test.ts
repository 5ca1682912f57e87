import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

const secret = `hush'h "1`
const url = 'https://h.test/'
const webhook = JSON.stringify({ webhook: { url, secret } })
const withHeader = JSON.stringify({ webhook: { url, headers: { Authorization: secret, A: '1' } } })
const create = ['rooms', 'create', '--name', 'A', '--type', 'open']
const room = JSON.stringify({ name: 'A', type: 'open', webhook: { url, secret } })

interface Input {
  argv: readonly string[]
  stdin?: string
  variable?: string
}

const inputs: Record<string, Input> = {
  '--webhook-secret': { argv: [...create, '--webhook-url', url, '--webhook-secret', secret] },
  '--webhook-secret @FILE': { argv: [...create, '--webhook-url', url, '--webhook-secret', '@secret'] },
  '--webhook-secret @-': { argv: [...create, '--webhook-url', url, '--webhook-secret', '@-'], stdin: secret },
  '--set': { argv: [...create, '--webhook-url', url, '--set', `webhook.secret=${secret}`] },
  '--data': { argv: [...create, '--data', webhook] },
  '--data @FILE': { argv: [...create, '--data', '@body.json'] },
  '--data -': { argv: [...create, '--data', '-'], stdin: webhook },
  'rooms update --data of a whole record': {
    argv: ['rooms', 'update', 'r1', '--data', JSON.stringify({ id: 'r1', webhook: { url, secret } })],
  },
  'api --data': { argv: ['api', 'POST', '/rooms', '--data', room] },
  'api --data, rooms in a list': { argv: ['api', 'POST', '/rooms', '--data', `[{}, ${room}]`] },
  '--webhook-header': {
    argv: [...create, '--webhook-url', url, '--webhook-header', `Authorization: ${secret}`],
    variable: 'WEBHOOK_AUTHORIZATION',
  },
  '--data with a header': { argv: [...create, '--data', withHeader], variable: 'WEBHOOK_AUTHORIZATION' },
  '--header': {
    argv: ['api', 'POST', '/rooms', '--data', '{}', '-H', `X-Api-Key: ${secret}`],
    variable: 'X_API_KEY',
  },
}

const shows = ['--curl', '--dry-run', '--dry-run -o json', '--dry-run --show-tokens', '--curl --show-tokens']

describe.each(Object.entries(inputs))(
  'a secret from %s',
  (input, { argv, stdin, variable = 'WEBHOOK_SECRET' }) => {
    beforeEach(() => {
      writeFileSync(join(world.dir, 'secret'), `${secret}\n`)
      writeFileSync(join(world.dir, 'body.json'), webhook)
    })

    test.each(shows)(`a secret from ${input} is absent from the output of %s`, async (flags) => {
      const { code, stdout, stderr } = await world.run(
        [...argv, ...flags.split(' ')],
        stdin === undefined ? {} : { stdin },
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).not.toContain('hush')
      if (flags.startsWith('--curl')) expect(stdout).toContain(`$${variable}`)
      else if (variable !== 'X_API_KEY') expect(stdout).toContain('"••••"')
      expect(world.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    })

    test(`--curl prints an environment variable instead of a secret from ${input}`, async () => {
      const { stdout } = await world.run([...argv, '--curl'], stdin === undefined ? {} : { stdin })
      const shown = execFileSync('/bin/sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${stdout}`], {
        env: { [variable]: 'other', MEETROOM_API_KEY: 'key' },
        encoding: 'utf8',
      })
      expect(shown).toContain('other')
      const body = shown.split('\n--data-raw\n')[1] ?? ''
      expect(() => JSON.parse(body)).not.toThrow()
    })
  },
)

test('api --dry-run prints a request with an empty secret unchanged', async () => {
  const body = '{"webhook":{"url":"https://h.test/","secret":"","n":12345678901234567890}}'
  const { stdout } = await world.run(['api', 'POST', '/rooms', '--data', body, '--dry-run'])
  expect(stdout).toBe(`POST https://meet.test/v1/rooms ${body}\n`)
})
