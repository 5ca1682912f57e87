import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documentation } from '../../helpers/documentation.ts'
import { atShell, present, terminalShells } from '../../helpers/shells.ts'

const absent = terminalShells.filter((shell) => !present.includes(shell))
test.skipIf(absent.length === 0)(
  `completion tests are skipped in the missing shells (${absent.join(', ')})`,
  ({ skip }) => skip(),
)

const local = { MEETROOM_PROFILE: 'local' }

describe.each(present)('the Tab key in %s', { timeout: 60_000 }, (shell) => {
  test(`the Tab key in ${shell} completes words of a command line and quotes an ID with shell syntax`, async () => {
    const { env, run, start } = atShell(shell)
    const made = async (line: string) =>
      (await run(['--local', ...line.split(' '), '-o', 'ids'])).stdout.trim()
    await made('users create ada --name Ada')
    const room = await made('rooms create --name R --type open')
    const member = await made(`members add ${room} ada`)
    const id = 'q b$(touch pwned)`touch pwned`;touch pwned&\'"\\*!~{x,y}ä李👩\u200d👧'
    await run(['--local', 'users', 'create', id, '--name', '$(touch pwned)'])
    const { enter } = await start(local)
    const lines: [keys: string, words: string][] = [
      ['sess\tli\t', 'sessions list'],
      ['rooms list --page-s\t5', 'rooms list --page-size 5'],
      ['rooms list --output nd\t', 'rooms list --output ndjson'],
      ['rooms list --output=nd\t', 'rooms list --output=ndjson'],
      ['rooms list --columns id,nam\t', 'rooms list --columns id,name'],
      ['rooms list --sort -typ\t', 'rooms list --sort -type'],
      ["rooms list --where 'type=pri\t", 'rooms list --where type=private'],
      ['rooms list --where type=pri\t', 'rooms list --where type=private'],
      // The value follows the completed field and operator.
      ['rooms list --where started\t2026-01-01', 'rooms list --where started_at<=2026-01-01'],
      ['rooms list bi\t', 'rooms list bi'],
      // Zsh removes the slash.
      ['rooms import bi\t', shell === 'zsh' ? 'rooms import bin' : 'rooms import bin/'],
      [`members get ${room.slice(0, 4)}\t\t`, `members get ${room} ${member}`],
      ['users get a\t', 'users get ada'],
    ]
    for (const [keys, words] of lines) expect(await enter(`meetroom ${keys}`)).toEqual(words.split(' '))
    expect(await enter('meetroom users get q\t')).toEqual(['users', 'get', id])
    expect(existsSync(join(env.HOME, 'pwned'))).toBe(false)
  })

  test(`the Tab key in ${shell} displays names beside IDs and escapes control characters`, async () => {
    const { env, run, start } = atShell(shell)
    await run(['--local', 'users', 'create', 'ada', '--name', 'Ada Lovelace'])
    await run(['--local', 'users', 'create', 'adele', '--name', '\u001b]0;pwned\u0007$(touch pwned)'])
    const { press, until, text } = await start(local)
    // The candidate list of fish needs a terminal that can move the cursor.
    press(shell === 'fish' ? "complete -C 'meetroom users get ad'\r" : 'meetroom users get ad\t\t')
    await until('Ada Lovelace')
    await until('\\u001b]0;pwned\\u0007$(touch pwned)')
    expect(text()).not.toContain('\u001b]0;pwned')
    expect(existsSync(join(env.HOME, 'pwned'))).toBe(false)
  })
})

test.runIf(present.includes('bash'))(
  'the Tab key in bash lists the same candidates as the example in the documentation',
  async () => {
    const { run, start } = atShell('bash')
    for (const [id, name] of [
      ['ada', 'Ada Lovelace'],
      ['grace', 'Grace Hopper'],
    ] as const)
      await run(['--local', 'users', 'create', id, '--name', name])
    const [, line = '', shown = ''] = /\$ (meetroom .*)<Tab><Tab>\n(.*)\n/.exec(documentation()) ?? []
    const { press, until } = await start()
    press(`${line}\t\t`)
    await until(`${line}\n${shown}`)
  },
)
