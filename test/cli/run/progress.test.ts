import { describe, expect, test } from 'vitest'
import { createImportWorld, usersCsv } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer } from '../../helpers/world.ts'

const world = perTest(createImportWorld)

function visibleText(output: string): string {
  const wipe = '\r\u001b[K'
  return output
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf(wipe) < 0 ? 0 : line.lastIndexOf(wipe) + wipe.length))
    .join('\n')
}

async function runOnTerminal(argv: readonly string[], columns = 120) {
  const { host, done } = world.start(argv, { tty: true, columns, env: { NO_COLOR: '1' } })
  let sent = ''
  for (const output of [host.stdout, host.stderr]) {
    const write = output.write.bind(output)
    output.write = (data) => {
      sent += data
      return write(data)
    }
  }
  const { code } = await done
  return { code, sent, shown: visibleText(sent) }
}

/** Flags that make a run slow, so that a progress bar appears. */
const slowly = ['--rate', '1', '--concurrency', '1']
const bars = (sent: string) =>
  sent.split('\u001b[K').flatMap((part) => /\r([█░]+ .*)$/u.exec(part)?.slice(1) ?? [])

async function rooms(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `R${i + 1}`)
  const ids: string[] = []
  for (const name of names) ids.push(await world.room(name))
  return ids
}

describe('the progress bar on a terminal', () => {
  test('rooms delete with three IDs shows a progress bar and removes it at the end', async () => {
    const ids = await rooms(3)
    const { code, sent, shown } = await runOnTerminal([
      'rooms',
      'delete',
      ...ids,
      '--yes',
      '-o',
      'ids',
      ...slowly,
    ])
    expect(code).toBe(0)
    expect(bars(sent)).toEqual([
      '████████████████░░░░░░░░ 2/3  2/s  0 failed  1 s left',
      '████████████████████████ 3/3  2/s  0 failed  0 s left',
    ])
    expect(shown).toBe(`${ids.join('\n')}\ndeleted 3 rooms\n`)
  })

  test('users import shows a progress bar and removes it at the end', async () => {
    world.file('users.csv', usersCsv(3))
    const { sent, shown } = await runOnTerminal(['users', 'import', 'users.csv', ...slowly])
    expect(bars(sent)).toEqual([
      '████████░░░░░░░░░░░░░░░░ 1/3  1/s  0 failed  4 s left',
      '████████████████░░░░░░░░ 2/3  1/s  0 failed  2 s left',
      '████████████████████████ 3/3  1/s  0 failed  0 s left',
    ])
    expect(shown).toBe('imported 3 of 3 users\n')
  })

  test('the progress bar of rooms delete counts a failed room', async () => {
    const [first = '', second = '', third = ''] = await rooms(3)
    world.intercept = async (request, next) =>
      request.method === 'DELETE' && request.url.endsWith(second)
        ? answer(500, { error: { code: 'validation_exception', message: 'not now' } })
        : next()
    const { code, sent, shown } = await runOnTerminal([
      ...['rooms', 'delete', first, second, third, '--yes', '-o', 'ids', ...slowly],
    ])
    expect(code).toBe(8)
    expect(bars(sent).at(-1)).toContain('3/3  2/s  1 failed')
    expect(shown).toContain(`${first}\n`)
    expect(shown).toContain('not now')
    expect(shown).not.toMatch(/[█░]/)
    expect(shown.endsWith('error: deleted 2 of 3 rooms; 1 failed\n')).toBe(true)
  })

  test('the progress bar is redrawn after a request that --verbose prints', async () => {
    const ids = await rooms(3)
    const { sent, shown } = await runOnTerminal(['rooms', 'delete', ...ids, '--yes', '--verbose', ...slowly])
    const afterFirst = sent.slice(sent.search(/[█░]/))
    expect(afterFirst.match(/DELETE .*\n/g)).toHaveLength(1)
    expect(afterFirst).toMatch(/DELETE .*\n\r[█░]+ 2\/3 .* 1 concurrent/)
    expect(shown).not.toMatch(/[█░]/)
  })

  test('the progress bar does not split a JSON document on the same terminal', async () => {
    const ids = await rooms(4)
    const { shown } = await runOnTerminal(['rooms', 'delete', ...ids, '--yes', '-o', 'json', ...slowly])
    const document = shown.slice(0, shown.lastIndexOf('}') + 1)
    expect(JSON.parse(document).rooms.map(({ id }: { id: string }) => id)).toEqual(ids)
  })

  test('the progress bar appears only after the confirmation prompt receives input', async () => {
    const ids = await rooms(3)
    const { host, done } = world.start(['rooms', 'delete', ...ids, ...slowly], { tty: true, columns: 400 })
    const asked = () => host.stderr.text.includes('Delete 3 rooms')
    while (!asked()) await new Promise((resolve) => setImmediate(resolve))
    expect(bars(host.stderr.text)).toEqual([])
    host.type('3\n')
    expect((await done).code).toBe(0)
    expect(bars(host.stderr.text).at(-1)).toContain('3/3')
  })

  test.each([
    ['a very short run', { tty: true }, []],
    ['--quiet', { tty: true }, [...slowly, '--quiet']],
    ['a process without a terminal', { tty: false }, slowly],
    ['a terminal that is too narrow', { tty: true, columns: 40 }, slowly],
  ])('the progress bar is hidden for %s', async (_, options, flags) => {
    const ids = await rooms(3)
    const { code, stderr } = await world.run(['rooms', 'delete', ...ids, '--yes', ...flags], options)
    expect(code).toBe(0)
    expect(stderr).not.toMatch(/[█░\r]/)
  })

  test('the progress bar is shown on a terminal of unknown width', async () => {
    const { sent } = await runOnTerminal(['rooms', 'delete', ...(await rooms(3)), '--yes', ...slowly], 0)
    expect(bars(sent)).toHaveLength(2)
  })

  test('the progress bar is hidden for a command with a single ID', async () => {
    const [id = ''] = await rooms(1)
    const { sent, shown } = await runOnTerminal(['rooms', 'delete', id, '--yes', '-o', 'ids', ...slowly])
    expect(bars(sent)).toEqual([])
    expect(shown).toBe(`${id}\ndeleted 1 room\n`)
  })

  test.each(['rooms terminate', 'rooms reopen', 'users delete', 'members unblock'])(
    'the progress bar is shown for %s',
    async (line) => {
      const room = await world.room('Private', 'private')
      const users = ['u1', 'u2', 'u3']
      const members: string[] = []
      for (const user_id of users) {
        await world.send('POST', '/users', { user_id })
        const { body } = await world.send('POST', `/rooms/${room}/members`, { user_id })
        members.push(body.member.id)
      }
      const ids = line.startsWith('users')
        ? users
        : line.startsWith('members')
          ? [room, ...members]
          : await rooms(3)
      const { code, sent } = await runOnTerminal([...line.split(' '), ...ids, '--yes', ...slowly])
      expect(code).toBe(0)
      expect(bars(sent).at(-1)).toContain('3/3')
    },
  )
})
