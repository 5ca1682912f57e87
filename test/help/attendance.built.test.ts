import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runShell } from '../helpers/built.ts'
import { documentation } from '../helpers/documentation.ts'
import { serveWorkspace, testMachine } from '../helpers/live.ts'
import { tempDir } from '../helpers/world.ts'

const minute = 60_000

/** Returns 08:00 of the previous day in local time, in milliseconds since 1970. */
function yesterdayAtEight(): number {
  const date = new Date()
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1, 8).getTime()
}

/** Simulates yesterday’s lesson: Ada leaves and returns, Grace is late, and Alan is absent. */
async function simulateLesson() {
  const served = await serveWorkspace({ machine: testMachine(yesterdayAtEight()) })
  const { ask, advance } = served
  const room = await served.room({ name: 'Lesson 7b', type: 'open' })
  await served.room({ name: 'Staff room' })
  const [ada, grace] = [
    await served.user('ada', { name: 'Ada' }),
    await served.user('grace', { name: 'Grace' }),
  ]
  await served.user('alan', { name: 'Alan' })
  for (const user of ['ada', 'grace', 'alan']) await served.member(room, user)
  const first = await served.join(room, { token: ada })
  const phone = await served.join(room, { token: ada })
  await advance(10 * minute)
  const late = await served.join(room, { token: grace })
  const guest = await served.join(room)
  await first.leave()
  await advance(10 * minute)
  await phone.leave()
  await guest.leave()
  await served.untilSessions(
    room,
    (sessions) => sessions.filter((one) => one.disconnected_at === null).length === 1,
  )
  await advance(10 * minute)
  const again = await served.join(room, { token: ada })
  await advance(10 * minute)
  await again.leave()
  await late.leave()
  await served.untilSessions(room, (sessions) => sessions.every((one) => one.disconnected_at !== null))
  const env = {
    HOME: tempDir(),
    TZ: 'UTC',
    MEETROOM_BASE_URL: served.baseUrl,
    MEETROOM_API_KEY: served.apiKey,
  }
  return { room, env, ask }
}

test('the attendance recipe writes the lessons of the previous day as CSV and as an HTML page', {
  timeout: 60_000,
}, async () => {
  vi.stubEnv('TZ', 'UTC')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { room, env } = await simulateLesson()
  const readme = documentation()
  const [, script = ''] =
    /<!-- attendance -->\n```sh\n([\s\S]*?)```\n<!-- \/attendance -->/.exec(readme) ?? []
  const cwd = tempDir()
  const { code, stdout, stderr } = await runShell(script, env, { cwd })
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'wrote attendance.html\n' })
  const rows = readFileSync(join(cwd, 'attendance.csv'), 'utf8').split('\r\n').slice(0, -1)
  const cells = rows.slice(1).map((row) => {
    const [room_id, user, name, first = '', last = '', ...rest] = row.split(',')
    expect(room_id).toBe(room)
    const isGuest = user === '' && /^[0-9a-f]{24}$/.test(name ?? '')
    return [
      user,
      isGuest ? 'the id of a member' : name,
      first.slice(11, 16),
      last.slice(11, 16),
      ...rest.slice(0, -1),
    ].join(' ')
  })
  expect(rows[0]).toBe('room_id,user_id,name,first_in,last_out,connections,minutes,share,present,room_name')
  expect(cells).toEqual([
    'ada Ada 08:00 08:40 3 30 0.75 true',
    'grace Grace 08:10 08:40 1 30 0.75 true',
    ' the id of a member 08:10 08:20 1 10 0.25 true',
    'alan Alan   0 0 0 false',
  ])
  const page = readFileSync(join(cwd, 'attendance.html'), 'utf8')
  expect(page.match(/<th scope="row"><bdi>(Ada|Grace|Alan)</g)).toHaveLength(3)
  expect(page).not.toContain('Staff room')
})
