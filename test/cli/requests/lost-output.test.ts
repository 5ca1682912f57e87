import { expect, test } from 'vitest'
import { allCalls, byCommand, filesOf, needsControl, prepare, stays } from '../../helpers/calls.ts'
import { answer } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

// Completion is excluded, because its cache of names is not a change.
const calls = (await allCalls()).filter(
  (call) => !stays.test(call) && !needsControl.test(call) && !call.startsWith('__complete'),
)
const diskFull = () => Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' })

test('each command with results exits 74 if stdout fails with ENOSPC', async () => {
  const silent: string[] = []
  const changed: string[] = []
  const wrong: unknown[] = []
  for (const call of calls) {
    const { world, argvOf } = await prepare()
    const before = JSON.stringify(filesOf(world.dir))
    world.requests.length = 0
    let writes = 0
    world.intercept = async (request, next) => {
      const response = await next()
      if (request.method !== 'GET' && response.status < 300) writes++
      return response
    }
    const { host, done } = world.start([...argvOf(call), '--yes', '--json'], {
      stdin: world.apiKey,
      env: { MEETROOM_JOIN_URL: 'https://app.test/{room_id}#{access_token}' },
    })
    host.stdout.failure = diskFull()
    const { code, stderr } = await done
    const isChanged = writes > 0 || JSON.stringify(filesOf(world.dir)) !== before
    if (isChanged) changed.push(call)
    if (code !== 74) silent.push(`${code} ${call}`)
    // A notice has already named the written HTML page.
    else if (/^wrote /.test(stderr)) continue
    else if (
      isChanged !==
      /"message":"(the|\d+) .*, but (its|their) output could not be written: no space left on the disk"/.test(
        stderr,
      )
    )
      wrong.push({ call, isChanged, stderr })
  }
  expect(wrong).toEqual([])
  // Some commands print only notices.
  expect(silent.filter((line) => !/^0 (auth log|profiles|config (un)?set)/.test(line))).toEqual([])
  expect(changed.length).toBeGreaterThan(15)
})

/** Calls with too few requests for a refusal. Later rounds, which accept more requests, skip them. */
const exhausted = new Set<string>()

test.each([0, 1, 2, 3, 4])(
  'each command exits 0, 7 or 8 after a change and a 422 response (successful requests: %i)',
  async (answered) => {
    const wrong: unknown[] = []
    let partial = 0
    // A quick run tests one call of each command.
    for (const call of byCommand(calls).flatMap((same) => share(same, answered, same.length))) {
      if (exhausted.has(call)) continue
      const { world, argvOf } = await prepare()
      let sent = 0
      let writes = 0
      world.intercept = async (request, next) => {
        if (sent++ >= answered) return answer(422, { error: { message: 'no' } })
        const response = await next()
        if (request.method !== 'GET' && response.status < 300) writes++
        return response
      }
      const { code, stderr } = await world.run([...argvOf(call), '--yes'], {
        stdin: world.apiKey,
        env: { MEETROOM_JOIN_URL: 'https://app.test/{room_id}#{access_token}' },
      })
      if (sent <= answered) exhausted.add(call)
      if (writes > 0 && sent > answered) partial++
      if (writes > 0 && ![0, 7, 8].includes(code)) wrong.push({ call, code, stderr })
    }
    expect(wrong).toEqual([])
    if (answered === 2) expect(partial).toBeGreaterThan(0)
  },
)
