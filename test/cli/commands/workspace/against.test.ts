import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorkspace, lineOf } from '../../../helpers/workspace-file.ts'

async function createServices() {
  const [staging, production] = [await createWorkspace(), await createWorkspace()]
  const profile = (name: string, api_key: string) => ({
    ...{ base_url: `https://${name}.test/v1`, api_key, api_key_origin: `https://${name}.test` },
  })
  mkdirSync(staging.world.configDir)
  const profiles = {
    staging: profile('staging', staging.world.apiKey),
    production: profile('production', production.world.apiKey),
  }
  writeFileSync(join(staging.world.configDir, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
  staging.world.intercept = (request, next, signal) =>
    request.url.startsWith('https://production.test') ? production.world.transport(request, signal) : next()
  const diff = async () => {
    const env = { MEETROOM_BASE_URL: undefined, MEETROOM_API_KEY: undefined }
    const run = await staging.run('workspace diff --profile staging --against production -o json', { env })
    return { ...run, lines: JSON.parse(run.stdout).plan.map(lineOf) as string[] }
  }
  return { staging, production, diff }
}

test('workspace diff --against matches the rooms of two services by name and sends no write', async () => {
  const { staging, production, diff } = await createServices()
  for (const at of [staging, production]) {
    await at.user('ada')
    await at.room('Algebra', [{ user_id: 'ada', type: 'host' }])
  }
  expect(await diff()).toMatchObject({ code: 0, lines: [], writes: [] })
  await staging.room('Biology')
  await production.user('ada', { name: 'Ada' })
  await production.user('extra')
  const { code, lines, stderr } = await diff()
  expect([code, lines]).toEqual([
    9,
    [
      '~ user ada; name: Ada → User ada',
      '+ room biology; type: private, name: Biology, layout: default, record: false',
      '* not_in_file user extra; only in production',
    ],
  ])
  expect(stderr).toContain('the workspace of the profile production differs from the workspace of staging')
  expect(stderr).toContain('rooms: 1 to create (50 %); staging has 2\n')
  expect(stderr).toContain('\n1 only in production (1 user)\n')
  expect(stderr).not.toContain('the file')
  expect((await production.rooms()).length).toBe(1)
})

test('workspace diff --against reports the items that exist only on the other service', async () => {
  const { staging, production } = await createServices()
  await production.user('ada')
  await production.user('extra')
  await production.room('Zoology', [{ user_id: 'extra', type: 'guest' }])
  const env = { MEETROOM_BASE_URL: undefined, MEETROOM_API_KEY: undefined }
  const diff = 'workspace diff --profile staging --against production'
  const { code, stdout, stderr } = await staging.run(diff, { env })
  expect([code, stdout, stderr]).toEqual([
    9,
    '',
    '3 only in production (2 users, 1 room)\n' +
      'error: the workspace of the profile production differs from the workspace of staging\n',
  ])
  const csv = await staging.run(`${diff} -o csv --no-header --columns action,key,reason`, { env })
  expect(csv.stdout).toMatch(/^(not_in_file,\S+,only in production\r\n){3}$/)
})

test('workspace diff --against suggests commands that copy the differences to the other service', async () => {
  const { staging, production } = await createServices()
  await staging.user('ada')
  for (const at of [staging, production]) await at.room('Algebra')
  await staging.room('Biology', [{ user_id: 'ada', type: 'host' }])
  await production.user('extra')
  const env = { MEETROOM_BASE_URL: undefined, MEETROOM_API_KEY: undefined }
  const diff = 'workspace diff --profile staging --against production'
  const before = await staging.run(diff, { env })
  expect(before.stdout).toContain('create  member  biology/ada')
  expect(before.stdout).not.toContain('extra')
  const [, hint = ''] = /^hint: make the changes with: (.*)$/m.exec(before.stderr) ?? []
  const commands = hint.split('; then: ')
  expect(commands).toEqual([
    'meetroom workspace export --profile staging --out staging.yaml',
    'meetroom workspace adopt staging.yaml --members --profile production',
    'meetroom workspace apply staging.yaml --profile production',
  ])
  for (const line of commands) {
    const flags = line.includes('apply') ? ' --yes' : ''
    expect((await staging.run(line.replace('meetroom ', '') + flags, { env })).code).toBe(0)
  }
  const after = await staging.run(diff, { env })
  expect([after.code, after.stdout, after.stderr]).toEqual([
    9,
    '',
    '1 only in production (1 user)\n' +
      'error: the workspace of the profile production differs from the workspace of staging\n',
  ])
})

test.each([
  ['workspace diff --against x', '--against and MEETROOM_BASE_URL cannot be used together, '],
  ['workspace diff f.yaml --against x', '--against and a workspace file cannot be used together\n'],
  ['workspace diff', 'the argument “file” is missing\n'],
])('%s exits 2 before any request if MEETROOM_BASE_URL is set', async (line, message) => {
  const at = await createWorkspace()
  expect(await at.run(line)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(`^error: ${message}`),
  })
  expect(at.world.requests).toEqual([])
})

test('workspace diff --against exits 2 if MEETROOM_API_KEY is set', async () => {
  const { staging } = await createServices()
  const env = { MEETROOM_BASE_URL: undefined }
  expect(await staging.run('workspace diff --profile staging --against production', { env })).toMatchObject({
    code: 2,
    stderr:
      'error: --against and MEETROOM_API_KEY cannot be used together, because MEETROOM_API_KEY replaces the key of both profiles\n',
  })
})

test('workspace diff --against names the profile in errors about an unknown profile or a refused key', async () => {
  const { staging, production } = await createServices()
  const env = { MEETROOM_BASE_URL: undefined, MEETROOM_API_KEY: undefined }
  const unknown = await staging.run('workspace diff --profile staging --against productoin', { env })
  expect(unknown).toMatchObject({
    code: 2,
    stderr:
      'error: no such profile: “productoin” (--against)\n' +
      'hint: did you mean “production”? profiles: staging, production, local\n',
  })
  expect(staging.world.requests).toEqual([])
  const { transport } = production.world
  production.world.transport = (request, signal) =>
    transport({ ...request, headers: { ...request.headers, authorization: 'Bearer another-key' } }, signal)
  const refused = await staging.run('workspace diff --profile staging --against production', { env })
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('meetroom auth status --profile production\n')
})
