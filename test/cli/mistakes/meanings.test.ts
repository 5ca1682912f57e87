import { expect, test } from 'vitest'
import { findClosest } from '../../../src/api/closest.ts'
import { isDestructive, mayWrite } from '../../../src/cli/kernel/effect.ts'
import { MeetroomCommand } from '../../../src/cli/kernel/meetroom-command.ts'
import { splitLine } from '../../../src/cli/mistakes/typed.ts'
import { wholeProgram } from '../../helpers/tree.ts'
import { createWorld } from '../../helpers/world.ts'
import { full } from '../../suites/size.ts'

/** Words that administrators type, by their meaning. */
const verbs = {
  reads: [
    ...[
      'list',
      'ls',
      'find',
      'search',
      'show',
      'view',
      'get',
      'info',
      'describe',
      'read',
      'inspect',
      'count',
    ],
    ...[
      'print',
      'export',
      'dump',
      'download',
      'watch',
      'follow',
      'tail',
      'monitor',
      'status',
      'check',
      'test',
    ],
    ...['wait', 'browse', 'visit', 'url', 'link', 'share', 'report', 'stats', 'history', 'select', 'elect'],
    ...['clock', 'dilate', 'determine', 'lst', 'exprt', 'sow'],
  ],
  writes: [
    ...['create', 'new', 'add', 'make', 'insert', 'register', 'update', 'edit', 'change', 'set', 'modify'],
    ...['rename', 'patch', 'import', 'load', 'upload', 'send', 'post', 'say', 'write', 'broadcast', 'invite'],
    ...['onboard', 'promote', 'unblock', 'unban', 'allow', 'readmit', 'start', 'restart', 'resume', 'reopen'],
    ...['enable', 'activate', 'lock', 'unlock', 'protect', 'unprotect', 'archive', 'unterminate', 'deblock'],
    ...[
      'disblock',
      'nonblock',
      'un-block',
      'unoffboard',
      'login',
      'logon',
      'signin',
      'use',
      'switch',
      'cretae',
    ],
  ],
  blocks: ['suspend', 'disable', 'deactivate', 'revoke', 'ban', 'kick', 'expel', 'block'],
  undoes: [
    ...['undo', 'undelete', 'un-delete', 'restore', 'recover', 'rollback', 'revert', 'unremove', 'undestroy'],
    'resurrect',
  ],
} as const

const strengthOf = (command: MeetroomCommand) => {
  const { effect = 'machine' } = command
  if (/delete|offboard|terminate|reset/.test(command.name())) return 3
  return isDestructive(effect) ? 2 : mayWrite(effect) ? 1 : 0
}
const allowed = { reads: 0, writes: 1, blocks: 2, undoes: 0 } as const

test.each(Object.keys(verbs) as (keyof typeof verbs)[])(
  'the suggested command for a verb of the kind “%s” has no stronger effect than the verb',
  async (meaning) => {
    const world = await createWorld()
    const program = await wholeProgram()
    const groups = program.commands.filter(({ commands }) => commands.length > 0)
    const wrong: string[] = []
    let suggestions = 0
    for (const [i, group] of ['', ...groups.map((command) => command.name())].entries())
      for (const [j, verb] of verbs[meaning].entries()) {
        // A quick run tests each word with some of the groups.
        if (!full && i > 0 && (i + j) % 3 > 0) continue
        const line = `${group} ${verb} x y`.trim()
        if (splitLine(program, line.split(' ')).command.commands.length === 0) continue
        const { code, stderr } = await world.run(line)
        expect({ code, requests: world.requests.length }, line).toEqual({ code: 2, requests: 0 })
        for (const [, words = ''] of stderr.matchAll(/meetroom ([^,\n]*)/g)) {
          const { command } = splitLine(program, words.split(' '))
          if (words.includes('--help') || !(command instanceof MeetroomCommand)) continue
          suggestions++
          // `reopen` is a valid suggestion, because it undoes a termination.
          const isReopening = meaning === 'undoes' && command.name() === 'reopen'
          if (strengthOf(command) > allowed[meaning] && !isReopening) wrong.push(`${line}: ${words}`)
        }
        if (meaning === 'undoes' && group !== 'local') expect(stderr, line).toContain('meetroom help undo\n')
      }
    expect(suggestions).toBeGreaterThan(5)
    expect(wrong).toEqual([])
  },
)

test.each([
  ['users block', 'members block'],
  ['users link', 'rooms link'],
  ['users disable --yes', 'members block'],
])('the unknown command “%s” suggests the help page of %s', async (line, command) => {
  const world = await createWorld()
  expect((await world.run(line)).stderr).toMatch(new RegExp(`\nhint: see: meetroom ${command} --help\n$`))
})

test('findClosest() ignores opposite words, such as unblock for block', () => {
  for (const prefix of ['un', 'de', 'dis', 'non', 'no-', 'not-'])
    for (const word of ['delete', 'block', 'terminated', 'protect', 'prune', 'save']) {
      expect(findClosest(`${prefix}${word}`, [word])).toBeUndefined()
      expect(findClosest(word, [`${prefix}${word}`])).toBeUndefined()
    }
  for (const [typed, meant] of [
    ['delte', 'delete'],
    ['unblok', 'unblock'],
    ['nosave', 'no-save'],
    ['describ', 'describe'],
    ['terminate', 'terminated'],
  ] as const)
    expect(findClosest(typed, [meant])).toBe(meant)
})
