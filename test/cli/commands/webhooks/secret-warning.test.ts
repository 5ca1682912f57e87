import { expect, test } from 'vitest'
import { answer, createWorld } from '../../../helpers/world.ts'

const create = 'rooms create --name N --type open --webhook-url https://h.test/ -o ids'
const warning =
  'warning: not every service signs webhooks; check a webhook with: meetroom webhooks listen --secret @secret.txt\n'
const unshown = 'warning: the service accepted webhook, but does not show it\n'
const loopback = { MEETROOM_BASE_URL: 'http://127.0.0.1:4680/v1' }

test.each([`${create} --webhook-secret s`, `${create} --set webhook.secret=s`])(
  'the command “%s” warns that the service may not sign webhooks',
  async (line) => {
    const world = await createWorld()
    expect(await world.run(line)).toMatchObject({ code: 0, stderr: warning + unshown })
    expect(world.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://meet.test/v1/rooms',
    ])
  },
)

test('rooms create --webhook-secret probes a service on this machine without the key', async () => {
  const world = await createWorld()
  const { code, stderr } = await world.run(`${create} --webhook-secret s`, { env: loopback })
  expect({ code, stderr }).toEqual({ code: 0, stderr: warning + unshown })
  const [probe, ...others] = world.requests
  expect([probe?.method, probe?.url, probe?.headers]).toEqual(['GET', 'http://127.0.0.1:4680/rooms/-', {}])
  expect(others).toHaveLength(1)
})

test('rooms create --webhook-secret prints no signature warning for the embedded service or with --local', async () => {
  const world = await createWorld()
  world.intercept = async (request, next) =>
    request.url.endsWith('/rooms/-') ? answer(200, '<html>', { server: 'meetroom' }) : next()
  const line = `${create} --webhook-secret s`
  expect(await world.run(line, { env: loopback })).toMatchObject({ code: 0, stderr: unshown })
  expect(await world.run(`${line} --local`)).toMatchObject({ code: 0, stderr: '' })
})

test.each(['', ' --webhook-secret s --dry-run', ' --webhook-secret s --curl', ' --webhook-secret s -q'])(
  `the command “${create}%s” prints no signature warning`,
  async (flags) => {
    const world = await createWorld()
    expect((await world.run(`${create}${flags}`)).stderr).not.toContain('signs webhooks')
  },
)
