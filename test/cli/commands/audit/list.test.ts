import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { createWorld, type World } from '../../../helpers/world.ts'

let world: World
let log: string
let room: string
let member: string
beforeEach(async () => {
  world = await createWorld()
  log = join(world.dir, 'audit.ndjson')
  await world.send('POST', '/users', { user_id: 'ada', name: 'Ada <b>' })
  room = (await world.send('POST', '/rooms', { name: 'Maths 7a', type: 'private' })).body.room.id
  member = (await world.send('POST', `/rooms/${room}/members`, { user_id: 'ada' })).body.member.id
})
const run = (argv: string | readonly string[], tty = false) =>
  world.run(argv, { env: { MEETROOM_AUDIT_LOG: log }, tty, columns: 120 })
const list = async (...flags: string[]) => {
  const { code, stdout, stderr } = await run(['audit', 'list', ...flags])
  return { code, stdout, stderr }
}
const columns = ['--columns', 'who,command,what,whose,outcome,changed']

async function makeChanges() {
  await run(`members block ${room} ${member} --yes`)
  await run(`api PUT /rooms/${room} -f name=X`)
  await run('users delete nobody --yes')
}

test('audit list shows changes with their outcome, newest first', async () => {
  await makeChanges()
  expect(await list('-o', 'csv', ...columns)).toEqual({
    code: 0,
    stdout: [
      'who,command,what,whose,outcome,changed',
      'operator,users delete,delete user,nobody,failed,',
      `operator,api,update room,${room},ok,name`,
      `operator,members block,block member,ada in ${room},ok,is_blocked=true`,
      '',
    ].join('\r\n'),
    stderr: '',
  })
  const { changes } = JSON.parse((await list('--json', '--limit', '1')).stdout)
  expect(changes).toEqual([
    {
      time: '2026-01-02T03:04:05.678Z',
      who: 'operator',
      command: 'users delete',
      what: 'delete user',
      whose: 'nobody',
      outcome: 'failed',
      changed: '',
      profile: 'default',
      origin: 'https://meet.test',
      operation: 'users.delete',
      room_id: null,
      user_id: 'nobody',
      member_id: null,
      status: 400,
      message: 'no such user: nobody',
      ci: null,
      id: expect.stringMatching(/^[\da-f-]{36}$/),
    },
  ])
})

test('audit list --time-zone prints times in the given zone', async () => {
  await run('users delete nobody --yes')
  const line = 'audit list --no-header --columns time,what --time-zone Asia/Tokyo'
  const time = '2026-01-02 12:04:05'
  expect((await run(`${line} -o csv --bom`)).stdout).toBe(`\ufeff${time},delete user\r\n`)
  for (const tty of [true, false]) expect((await run(line, tty)).stdout).toBe(`${time}  delete user\n`)
})

test('audit list shows the ID of a redelivered webhook with and without --names', async () => {
  await run('webhooks redeliver msg_unknown')
  for (const flags of [[], ['--names']])
    expect((await list('-o', 'csv', '--columns', 'what,whose,outcome', ...flags)).stdout).toContain(
      'redeliver webhook,msg_unknown,',
    )
})

test('audit list filters, sorts and counts changes', async () => {
  await makeChanges()
  const { stdout } = await list('--where', 'what~block', '--names', '-o', 'csv', '--columns', 'who,whose')
  expect(stdout).toBe('who,whose\r\noperator,Ada <b> in X\r\n')
  expect((await list('--count', '--where', 'outcome!=ok')).stdout).toBe('1\n')
  expect((await list('--count-by', 'outcome')).stdout).toBe(
    'OUTCOME  COUNT\n───────  ─────\nok       2\nfailed   1\n',
  )
  const sorted = await list(
    '--sort',
    '-what',
    '--limit',
    '2',
    '-o',
    'csv',
    '--columns',
    'what',
    '--no-header',
  )
  expect(sorted.stdout).toBe('update room\r\ndelete user\r\n')
  expect(await list('--where', 'outcome=bad')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('outcome must be ok, failed or unknown, not “bad”'),
  })
  expect(await list('--where', 'wat=x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean: meetroom audit list --where what=x '),
  })
})

test('audit list omits changes outside --since and --until', async () => {
  await run('users delete nobody --yes')
  const { stdout } = await run('audit list --since 1m --columns time,what --time-zone Europe/Berlin', true)
  expect(stdout).toContain('2026-01-02 04:04:05  delete user')
  expect((await list('--since', '2026-01-03')).stderr).toBe('no changes\n')
  expect((await list('--until', '2026-01-02')).stderr).toBe('no changes\n')
  expect((await list('--since', 'yesterday', '--until', '2026-01-03', '--count')).stdout).toBe('1\n')
})

test('audit list --period selects changes by their start time', async () => {
  await run('users delete nobody --yes')
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const at = (line: string | undefined, time: string) =>
    `${line?.replace(/"time":"[^"]*"/, `"time":"${time}"`).replace(/"id":"[^"]*"/, '"id":"late"')}\n`
  writeFileSync(log, at(lines[0], '2025-12-28T22:59:59.999Z') + at(lines[1], '2025-12-28T23:00:01.000Z'))
  const zone = ['--time-zone', 'Europe/Berlin', '-o', 'csv', '--columns', 'outcome', '--no-header']
  for (const period of ['last-week', '2025-w52'])
    expect((await list('--period', period, ...zone)).stdout).toBe('failed\r\n')
  expect((await list('--period', 'this-week', ...zone)).stdout).toBe('')
  renameSync(log, `${log}.1`)
  writeFileSync(log, at(lines[1], '2025-12-28T23:00:01.000Z'))
  writeFileSync(`${log}.1`, at(lines[0], '2025-12-28T22:59:59.999Z'))
  expect((await list('--period', 'last-week', ...zone)).stdout).toBe('failed\r\n')
  expect((await list('--period', 'this-week', ...zone)).stdout).toBe('')
  expect((await list('-o', 'csv', '--columns', 'time,outcome', '--no-header')).stdout).toBe(
    '2025-12-28T22:59:59.999Z,failed\r\n',
  )
  expect(await list('--period', 'week')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^error: --period must be today, .*, not “week”\nhint: for another period, pass --since and --until\n$/,
    ),
  })
  expect(await list('--period', 'today', '--since', '7d')).toMatchObject({
    code: 2,
    stderr:
      'error: --period and --since cannot be used together\nhint: for another period, pass --since and --until\n',
  })
})

test('audit list shows the columns PROFILE and ORIGIN only if their values differ', async () => {
  await run('users delete nobody --yes')
  const header = async (...files: string[]) => (await list(...files)).stdout.split('\n')[0]
  const rewrite = (from: RegExp, to: string) => {
    const text = readFileSync(log, 'utf8')
      .replace(/"id":"/g, '"id":"other-')
      .replace(from, to)
    writeFileSync(join(world.dir, 'other'), text)
    return [log, join(world.dir, 'other')]
  }
  const columns = 'TIME WHO COMMAND WHAT WHOSE OUTCOME CHANGED'
  const words = (text = '') => text.split(/\s+/).slice(0, 9).join(' ')
  expect(words(await header())).toBe(`${columns} MESSAGE CI`)
  const staging = rewrite(/"profile":"default"/g, '"profile":"staging"')
  expect(words(await header(...staging))).toBe(`${columns} PROFILE MESSAGE`)
  const moved = rewrite(/"origin":"[^"]*"/g, '"origin":"https://other.test"')
  expect(words(await header(...moved))).toBe(`${columns} ORIGIN MESSAGE`)
})

test('audit list reads rotated log files and reports damaged lines and files', async () => {
  await makeChanges()
  const whole = readFileSync(log, 'utf8')
  const [first = ''] = whole.split('\n')
  writeFileSync(join(world.dir, 'audit.ndjson.2.gz'), gzipSync(first.replace(/"id":"[^"]*"/, '"id":"old"')))
  writeFileSync(join(world.dir, 'audit-20251231.ndjson'), first.replace(/"id":"[^"]*"/, '"id":"older"'))
  writeFileSync(join(world.dir, 'audit.ndjson.bak'), 'another file')
  writeFileSync(join(world.dir, 'audit.ndjson.3.xz'), 'not read')
  renameSync(log, `${log}.1`)
  // A truncated line, JSON that is not an entry, and deeply nested brackets.
  writeFileSync(log, `${first.slice(0, 40)}\n[]\n${'['.repeat(2 ** 20 + 1)}\n`)
  appendFileSync(log, whole)
  expect(await list('--columns', 'id,what,outcome', '--where', 'id~^old', '-o', 'csv')).toEqual({
    code: 0,
    stdout: 'id,what,outcome\r\nold,block member,unknown\r\nolder,block member,unknown\r\n',
    stderr:
      '1 rotated file is not read; decompress audit.ndjson.3.xz\n3 lines of the audit log are damaged and omitted\n',
  })
  expect((await list('--count', '--quiet')).stdout).toBe('5\n')
  const cut = join(world.dir, 'cut.gz')
  writeFileSync(cut, gzipSync(whole).subarray(0, -20))
  expect(await list(cut, `${log}.1`, '--count-by', 'who', '--quiet')).toEqual({
    code: 8,
    stdout: 'WHO       COUNT\n────────  ─────\noperator  3\n',
    stderr: `error: ${cut} is damaged; the rest of the file was not read\n`,
  })
})

test('audit list exits 2 without an audit log setting and 0 for a missing log file', async () => {
  const unset = { MEETROOM_AUDIT_LOG: undefined, HOME: '/home/ada' }
  expect(await world.run('audit list', { env: unset })).toMatchObject({
    code: 2,
    stderr:
      'error: no audit log is set, so changes are not logged\nhint: start an audit log with: meetroom config set audit_log /home/ada/meetroom-audit.ndjson --base-url https://meet.test/v1\n',
  })
  expect(await list()).toEqual({
    code: 0,
    stdout: '',
    stderr: `the audit log ${log} does not exist yet\nno changes\n`,
  })
})

test('audit list --html escapes markup in names', async () => {
  await run(`members block ${room} ${member} --yes`)
  expect((await list('--html', 'page.html', '--names')).stderr).toBe('wrote page.html\n')
  const page = readFileSync(join(world.dir, 'page.html'), 'utf8')
  expect(page).toContain('<h1>Changes</h1>')
  expect(page).toContain('<th scope="col">CI</th>')
  expect(page).toContain('<td><bdi>Ada &lt;b&gt; in Maths 7a</bdi></td>')
  expect(page).toMatch(/<\/html>\n$/)
})
