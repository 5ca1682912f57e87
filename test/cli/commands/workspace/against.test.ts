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

test('workspace diff --against matches rooms of two services by name, and writes to neither service', async () => {
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
  expect(stderr).toContain('\n1 only in production\n')
  expect(stderr).not.toContain('the file')
  expect((await production.rooms()).length).toBe(1)
})

test('workspace diff --against names an item that only the other service has, and mentions no file', async () => {
  const { staging, production } = await createServices()
  await production.user('extra')
  const env = { MEETROOM_BASE_URL: undefined, MEETROOM_API_KEY: undefined }
  const run = (...flags: string[]) =>
    staging.run(['workspace', 'diff', '--profile', 'staging', '--against', 'production', ...flags], { env })
  const { code, stdout, stderr } = await run()
  expect([code, stderr]).toEqual([
    9,
    '1 only in production\nerror: the workspace of the profile production differs from the workspace of staging\n' +
      'hint: to make the changes, see “Compare two services” in: meetroom help workspace\n',
  ])
  expect(stdout).toMatch(/not_in_file +user +extra \(User extra\) +only in production\n$/)
})

test('workspace diff exits 2 for --against with a base URL, for --against with FILE, and if both FILE and --against are missing', async () => {
  const at = await createWorkspace()
  for (const line of ['workspace diff --against x', 'workspace diff f.yaml --against x', 'workspace diff'])
    expect([line, (await at.run(line)).code]).toEqual([line, 2])
  expect(at.world.requests).toEqual([])
})

test('workspace diff --against names its profile in the error for an unknown profile or a refused key', async () => {
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
