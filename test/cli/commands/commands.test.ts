import { describe, expect, test } from 'vitest'
import type { CommandDescription } from '../../../src/cli/commands/schema/commands.ts'
import { exitCodes } from '../../../src/cli/help/exit-codes.ts'
import { version } from '../../../src/version.ts'
import { allCalls, prepare, stays } from '../../helpers/calls.ts'
import { leaves } from '../../helpers/tree.ts'
import { baseUrl, createWorld } from '../../helpers/world.ts'

async function facts() {
  const { code, stdout, stderr } = await (await createWorld()).run('commands --json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as {
    version: string
    commands: CommandDescription[]
    global_flags: { name: string }[]
  }
}

test('commands --json prints the program version', async () => {
  expect((await facts()).version).toBe(version)
})

test('commands --json lists every command except __complete with all its flags', async () => {
  const { commands } = await facts()
  const shown = (await leaves()).filter(({ words }) => words[0] !== '__complete')
  const tree = shown.map(({ words, command }) => ({
    name: words.join(' '),
    flags: command.options.map(({ long }) => long),
  }))
  expect(commands.map(({ name, flags }) => ({ name, flags: flags.map((flag) => flag.name) }))).toEqual(tree)
})

describe('every command', () => {
  test('every command has a help text and an example', async () => {
    const { commands } = await facts()
    for (const { name, summary, description, examples } of commands) {
      expect(summary || description, name).not.toBe('')
      expect(examples[0], name).toMatch(new RegExp(`meetroom (--local )?${name}\\b`))
    }
  })

  test('every command returns a documented exit code', async () => {
    const { commands } = await facts()
    const calls = (await allCalls()).filter((call) => !stays.test(call) && !call.startsWith('__complete '))
    for (const call of calls) {
      const told = commands.find(({ name }) => call === name || call.startsWith(`${name} `))
      const { world, argvOf } = await prepare()
      const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
      const { code } = await world.run(argvOf(`${call} --yes`), { env, stdin: world.apiKey })
      expect(told?.exit_codes, call).toContain(code)
      if (world.requests.some(({ method }) => method !== 'GET')) expect(told?.writes, call).toBe(true)
    }
  })
})

test('commands --json documents exit code 8 for users list but not for users create', async () => {
  const world = await createWorld()
  const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
  await world.run('auth login --profile one --with-token', {
    env: { ...env, MEETROOM_BASE_URL: baseUrl },
    stdin: world.apiKey,
  })
  await world.run('auth login --profile two --with-token', {
    env: { ...env, MEETROOM_BASE_URL: baseUrl },
    stdin: world.apiKey,
  })
  await world.run('config set base_url https://other.test/v1 --profile two', { env })
  const { code } = await world.run('users list --all-profiles', { env })
  const { commands } = await facts()
  expect(code).toBe(8)
  expect(commands.find(({ name }) => name === 'users list')?.exit_codes).toContain(code)
  expect(commands.find(({ name }) => name === 'users create')?.exit_codes).not.toContain(code)
})

test('exitCodes describes every exit code of every command', async () => {
  for (const { exit_codes } of (await facts()).commands)
    for (const code of exit_codes) expect(exitCodes).toHaveProperty(String(code))
})

test('commands --json prints the type, default and choices of flags', async () => {
  const flags = (await facts()).commands.flatMap((command) =>
    command.flags.map((flag) => ({ ...flag, of: command.name })),
  )
  const find = (of: string, name: string) => flags.find((flag) => flag.of === of && flag.name === name)
  expect(find('rooms list', '--limit')).toMatchObject({ type: 'integer', repeatable: false, default: null })
  expect(find('rooms list', '--where')).toMatchObject({ type: 'string', repeatable: true })
  expect(find('rooms list', '--active')).toMatchObject({ type: 'boolean', default: false })
  expect(find('rooms delete', '--concurrency')).toMatchObject({ type: 'integer', default: 8 })
  expect(find('rooms list', '--concurrency')).toMatchObject({ type: 'integer', default: null })
  expect(find('rooms create', '--type')).toMatchObject({ choices: ['open', 'public', 'private'] })
  expect(find('webhooks verify', '--headers')).toMatchObject({ required: true })
})

test('meetroom commands prints a table by default and command names with -o ids', async () => {
  const world = await createWorld()
  expect((await world.run('commands')).stdout).toContain('rooms delete ')
  expect((await world.run('commands -o ids')).stdout.split('\n')).toContain('rooms delete')
})
