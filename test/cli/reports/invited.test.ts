import { expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { type Lesson, member, school } from '../../helpers/school.ts'
import { visit } from '../../helpers/term.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

/** Simulates a room with three meetings, each attended by `host`. */
function serveLessons(
  members: Lesson['members'],
  sessions: Lesson['sessions'] = [],
  users: object[] = [],
): void {
  const held = ['10-01', '10-08', '10-15'].map((day) => visit('host', `${day}T08:00`, `${day}T08:45`))
  const all = [member('host'), ...(members ?? [])]
  school(
    world,
    { maths: { members: all, sessions: [...held, ...sessions] } },
    users as Record<string, unknown>[],
  )
}

const invited = (user_id: string, created_at?: string) => {
  const { created_at: _, ...rest } = member(user_id) as Record<string, unknown>
  return created_at === undefined ? rest : { ...rest, created_at }
}

async function report(flags: string) {
  const line = `sessions report --all-rooms --time-zone utc -o json ${flags}`
  const { code, stdout, stderr } = await world.run(line.trim())
  expect(code, stderr).toBe(0)
  return { rows: JSON.parse(stdout).attendance as Record<string, any>[], stderr }
}

async function listMissed(flags = '') {
  const { rows, stderr } = await report(`--by user-total --missed 1 ${flags}`)
  return { rows: rows.map((row) => [row['user_id'], row['missed'], row['counted_from']]), stderr }
}

test('sessions report --missed counts only meetings after the invitation of a user', async () => {
  serveLessons([
    invited('early', '2025-09-01T00:00:00Z'),
    invited('late', '2025-10-07T00:00:00Z'),
    invited('new', '2025-10-20T00:00:00Z'),
  ])
  const expected = [
    ['early', 3, '2025-09-01T00:00:00.000Z'],
    ['late', 2, '2025-10-07T00:00:00.000Z'],
  ]
  expect(await listMissed()).toEqual({ rows: expected, stderr: '' })
  const { rows, stderr } = await report('--by meeting --absent')
  const absent = rows.filter(({ present }) => !present).map(({ user_id }) => user_id)
  expect(absent.sort()).toEqual(['early', 'early', 'early', 'late', 'late'])
  expect(stderr).toBe('1 member was added after these meetings and is not counted as absent\n')
})

test('sessions report --by meeting --only-absent counts members added after the meetings in a notice', async () => {
  const again = visit('again', '10-01T08:00', '10-01T08:45')
  const blocked = { ...invited('blocked', '2025-10-20T00:00:00Z'), is_blocked: true }
  serveLessons(
    [...['new', 'newer', 'again'].map((id) => invited(id, '2025-10-20T00:00:00Z')), blocked],
    [again],
  )
  const late = (count: number) =>
    `${count} members were added after these meetings and are not counted as absent\n`
  const reports = {
    '--by meeting --only-absent': late(2),
    '--by meeting --only-absent --include-blocked': late(3),
    '--by meeting': '',
    '--absent': '',
    '--by meeting --only-absent --from 2025-10-20': '',
  }
  for (const [flags, stderr] of Object.entries(reports))
    expect((await report(flags)).stderr, flags).toBe(stderr)
})

test('sessions report --missed uses created_at of the user if the member has none', async () => {
  serveLessons([invited('late')], [], [{ user_id: 'late', name: 'LATE', created_at: '2025-10-07T00:00:00Z' }])
  expect(await listMissed()).toEqual({ rows: [['late', 2, '2025-10-07T00:00:00.000Z']], stderr: '' })
})

test.each(['', '--from 2025-10-05'])(
  'sessions report --missed 1 %s counts meetings of a reinvited user from the first session',
  async (flags) => {
    serveLessons([invited('again', '2025-10-20T00:00:00Z')], [visit('again', '10-01T08:00', '10-01T08:45')])
    const { rows } = await listMissed(flags)
    expect(rows).toEqual([['again', 2, '2025-10-01T08:00:00.000Z']])
  },
)

test('sessions report --missed prints a notice if members and users have no created_at', async () => {
  const { created_at: _, ...host } = member('host') as Record<string, unknown>
  school(world, {
    maths: { members: [host, invited('someone')], sessions: [visit('host', '10-01T08:00', '10-01T08:45')] },
  })
  expect(await listMissed()).toEqual({
    rows: [['someone', 1, null]],
    stderr:
      'the service does not show the times of invitations, so meetings before an invitation count as missed\n',
  })
})

test('the embedded service returns created_at of a member', async () => {
  const { body } = await world.send('POST', '/rooms', { name: 'A', type: 'open' })
  await world.send('POST', '/users', { user_id: 'ada' })
  const added = await world.send('POST', `/rooms/${body.room.id}/members`, { user_id: 'ada' })
  expect(added.body.member.created_at).toMatch(/^\d{4}-/)
})
