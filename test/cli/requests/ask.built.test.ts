import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { quoteForShell } from '../../../src/api/quote-for-shell.ts'
import { launcher, node } from '../../helpers/built.ts'
import { hasTerminal, type Reply, talkOnTerminal } from '../../helpers/pty.ts'
import { runHere } from '../../helpers/run-here.ts'
import { serveHere } from '../../helpers/serve-here.ts'
import { homes } from '../../helpers/serving.ts'
import { harmIn } from '../../helpers/terminal.ts'

const program = `${quoteForShell(node)} ${quoteForShell(launcher)}`

/** Compares the terminal settings before and after the run as `isRestored`. */
async function runDialog(line: string, env: Record<string, string>, replies: readonly Reply[]) {
  const { code, shown } = await talkOnTerminal(
    `stty -g; ${program} ${line}; code=$?; stty -g; exit $code`,
    env,
    replies,
  )
  const states = shown.match(/^[\da-f]+(:[\da-f]+){5,}$/gm) ?? []
  return { code, shown, isRestored: states.length === 2 && states[0] === states[1] }
}

const url = 'Base URL of the service:'
const name = 'Name of the room:'
const type = 'Type of the room:'

describe.skipIf(!hasTerminal)('a real terminal', () => {
  test('auth login on a real terminal prompts for the base URL and hides the typed key', async () => {
    const { baseUrl, apiKey: key } = await serveHere()
    const home = homes()
    const { code, shown, isRestored } = await runDialog('auth login', home, [
      [url, 'meet.example.com\n'],
      ['> the base URL is not a valid URL; a base URL has the form', `\u0015${baseUrl}\n`],
      [`API key for ${new URL(baseUrl).origin}:`, `${key}\n`],
    ])
    expect({ code, isRestored }, shown).toEqual({ code: 0, isRestored: true })
    expect(shown).toContain(
      'next steps:\n  meetroom auth status --profile default\n  meetroom rooms list --profile default\n',
    )
    expect(shown).not.toContain(key)
    const { profiles } = JSON.parse(readFileSync(join(home.MEETROOM_CONFIG_DIR, 'config.json'), 'utf8'))
    expect(profiles.default).toMatchObject({ base_url: baseUrl, api_key: key })
  })

  const keyPrompt: Reply[] = [
    [url, 'https://meet.invalid/v1\n'],
    ['API key for', 'half-a-key'],
  ]
  test.each<[string, string, string, Reply[]]>([
    ['^C', '\u0003', 'auth login', keyPrompt],
    ['^D', '\u0004', 'auth login', keyPrompt],
    ['^C', '\u0003', '--local rooms create', [[name, 'Week']]],
  ])(
    '%s (%j) at a prompt ends %s with exit code 130 and restores the terminal',
    async (_, typed, line, replies) => {
      const home = homes()
      const { code, shown, isRestored } = await runDialog(line, home, [...replies, ['', typed]])
      expect({ code, isRestored }, shown).toEqual({ code: 130, isRestored: true })
      expect(stripVTControlCharacters(shown)).toContain('error: interrupted')
      expect(shown).not.toContain('half-a-key')
      expect(existsSync(home.MEETROOM_CONFIG_DIR)).toBe(false)
    },
  )

  test('auth login with TERM=dumb prompts in plain lines on a real terminal', async () => {
    const { baseUrl, apiKey: key } = await serveHere()
    const home = { ...homes(), TERM: 'dumb' }
    const pasted = 'sk_live_0123456789'
    const { code, shown, isRestored } = await runDialog('auth login', home, [
      [url, `${pasted}\n`],
      ['> the base URL is not a valid URL', `${baseUrl}\n`],
      [`API key for ${new URL(baseUrl).origin}: `, `${key}\n`],
    ])
    expect({ code, isRestored }, shown).toEqual({ code: 0, isRestored: true })
    expect(shown).toMatch(/^[\r\n -~]*$/)
    expect(shown).toContain(`${url} ${baseUrl}`)
    expect(shown).not.toContain(key)
    expect(shown).not.toContain(pasted)
  })

  test('rooms list prints a complete table on a real terminal that reports a size of 0', async () => {
    const home = homes()
    await runHere('--local rooms create --name Maths --type open'.split(' '), { env: home })
    const list = `stty cols 0 rows 0; ${program} --local rooms list --columns name,type --no-color`
    const { code, shown } = await talkOnTerminal(list, home, [])
    expect({ code, shown }).toEqual({ code: 0, shown: 'NAME   TYPE\n─────  ────\nMaths  open\n' })
  })

  // A terminal line holds at most 4,096 bytes without raw mode.
  test('rooms create accepts a pasted name of more than 4,096 bytes on a real terminal', async () => {
    const long = '😀'.repeat(1050)
    const { code, shown, isRestored } = await runDialog(
      '--local rooms create --json --query "[room.type, room.name]"',
      homes(),
      [
        [name, `a\u001b[31mred\u001b]0;title\u0007\u009b31m\u202eb${long}\n`],
        [type, 'nope\n'],
        ['> type must be open, public or private, not “nope”', '\u0015private\n'],
      ],
    )
    expect({ code, isRestored }, shown).toEqual({ code: 0, isRestored: true })
    expect(shown).toMatch(new RegExp(`"private",\\s*"a.*b${long}"`))
    expect(harmIn(shown, true)).toBeUndefined()
  })

  test('users delete - exits 10 without a prompt after it reads IDs from a real terminal', async () => {
    const home = homes()
    await runHere('--local users create ada'.split(' '), { env: home })
    const { code, shown } = await runDialog('--local users delete -; c=$?; echo; (exit $c)', home, [
      ['', 'ada\n\u0004'],
    ])
    expect(code, shown).toBe(10)
    expect(shown).toContain('needs confirmation, and standard input has been read to its end')
  })
})
