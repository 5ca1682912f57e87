import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { listen } from '../helpers/listen.ts'
import { programsIn } from '../helpers/programs.ts'
import { readTarball } from '../helpers/tarball.ts'

/** Scripts that npm may run, or warn about, during an installation. */
const installHooks = ['preinstall', 'install', 'postinstall', 'prepare']

let dir: string
let tarball: string

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'meetroom-package-'))
  const { code, stderr } = await npm('pack', '--ignore-scripts', '--pack-destination', dir)
  expect(code, stderr).toBe(0)
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  tarball = join(dir, `${name}-${version}.tgz`)
}, 60_000)

afterAll(() => rmSync(dir, { recursive: true, force: true }))

function npm(...argv: string[]) {
  return runCommand('npm', argv, { HOME: dir, npm_config_cache: join(dir, 'cache') })
}

test('the package contains only the expected files and is smaller than 1,250 KiB', () => {
  // A quarter of the size is `meetroom/testing`, which no command loads.
  expect(statSync(tarball).size).toBeLessThan(1250 * 1024)
  const files = [...readTarball(tarball).keys()].sort()
  expect(files).toEqual([
    'package/LICENSE',
    'package/README.md',
    'package/bin/keep-cache.js',
    'package/bin/leave.js',
    'package/bin/meetroom.js',
    'package/dist/LEGAL.txt',
    'package/dist/build.json',
    'package/dist/embedded.js',
    'package/dist/help.js',
    'package/dist/meetroom.js',
    'package/dist/sbom.cdx.json',
    'package/dist/testing.cjs',
    'package/dist/testing.d.mts',
    'package/dist/testing.d.ts',
    'package/dist/testing.mjs',
    'package/dist/undici.js',
    'package/package.json',
  ])
})

test('the package includes the licenses of nine bundled libraries', () => {
  const licenses = readTarball(tarball).get('package/dist/LEGAL.txt')
  for (const name of [
    'chalk',
    'cli-table3',
    'commander',
    'conf',
    'csv-parse',
    'hono',
    'undici',
    'ws',
    'zod',
  ]) {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
    expect(licenses).toMatch(new RegExp(`^${name} ${version}\\n\\n[^-]*(MIT|License)`, 'm'))
  }
})

test('the SBOM lists exactly the bundled libraries', () => {
  const files = readTarball(tarball)
  const { bomFormat, components } = JSON.parse(files.get('package/dist/sbom.cdx.json') ?? '')
  expect(bomFormat).toBe('CycloneDX')
  const listed = components.map(
    ({ group, name, version }: { group?: string; name: string; version: string }) =>
      `${group ? `${group}/` : ''}${name} ${version}`,
  )
  const licenses = files.get('package/dist/LEGAL.txt') ?? ''
  const licensed = [...licenses.matchAll(/^(?:-{80}\n\n|)(\S+ \d+\.\d+\.\d+)\n\n/gm)].map(([, id]) => id)
  expect(listed.toSorted()).toEqual(licensed.toSorted())
  expect(listed.some((id: string) => id.startsWith('undici '))).toBe(true)
  for (const tool of ['vitest', 'esbuild', 'typescript'])
    expect(listed.some((id: string) => id.startsWith(`${tool} `))).toBe(false)
})

const audit = (more: Record<string, string>) =>
  runCommand(process.execPath, ['test/audit.mjs'], {
    HOME: dir,
    npm_config_cache: join(dir, 'cache'),
    npm_config_fetch_retries: '0',
    ...more,
  })

test('test/audit.mjs exits 1 for an advisory about a bundled package and 0 without advisories', async () => {
  const advisory = { id: 1, url: 'https://advisories.test/1', title: 'A flaw', severity: 'high' }
  const [undici, vitest] = ['undici', 'vitest'].map((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
    return { version, advisories: [{ ...advisory, vulnerable_versions: version }] }
  })
  const advisories = { undici: undici?.advisories, vitest: vitest?.advisories }
  const { code, stdout } = await audit({ npm_config_registry: await serveRegistry(advisories) })
  const [flaw, counts] = stdout.split('\n')
  expect({ code, flaw }).toEqual({
    code: 1,
    flaw: `undici@${undici?.version}: high: A flaw (https://advisories.test/1)`,
  })
  expect(counts).toMatch(/ bundled packages, 1 with known vulnerabilities$/)
  const PATH = programsIn(join(dir, 'bin'), { npm: `echo '{"vulnerabilities":{}}'` })
  expect(await audit({ PATH })).toMatchObject({ code: 0, stdout: expect.stringContaining(', 0 with known') })
})

test('test/audit.mjs exits 2 if the registry has no advisory endpoint', async () => {
  const result = await audit({ npm_config_registry: await serveRegistry(undefined) })
  expect(result).toMatchObject({ code: 2, stdout: '' })
  expect(result.stderr).toMatch(/^npm audit: ./)
})

/** @param advisories advisories by package; undefined for no advisory endpoint */
async function serveRegistry(advisories: Record<string, unknown> | undefined): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    const bulk = advisories !== undefined && request.url?.includes('/advisories/bulk')
    response.writeHead(bulk ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(bulk ? advisories : { error: 'not here' }))
  })
  return `http://127.0.0.1:${await listen(server)}/`
}

test('package.json declares no required dependencies or install scripts', () => {
  const { dependencies, optionalDependencies, scripts, peerDependenciesMeta } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  expect({ dependencies, optionalDependencies }).toEqual({
    dependencies: undefined,
    optionalDependencies: undefined,
  })
  expect(peerDependenciesMeta).toEqual({ libsql: { optional: true } })
  for (const hook of installHooks) expect(scripts).not.toHaveProperty(hook)
})

test('the npm scripts preprepare and prepack build the program', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(scripts).toMatchObject({ preprepare: 'npm run build', prepack: 'npm run build' })
})

test('publint reports no problem in the package', { timeout: 60_000 }, async () => {
  const { code, stdout } = await runCommand('node_modules/.bin/publint', ['--strict', tarball], { HOME: dir })
  expect(code, stdout).toBe(0)
  expect(stdout).toContain('All good!')
})

test('npm install --global --offline installs the tarball without warnings or dependencies', {
  timeout: 60_000,
}, async () => {
  const prefix = join(dir, 'global')
  const flags = ['--offline', '--no-audit', '--no-fund', '--no-update-notifier', '--omit=peer']
  const installed = await npm('install', '--global', ...flags, '--prefix', prefix, tarball)
  expect(installed).toMatchObject({ code: 0, stderr: '' })
  const modules = join(prefix, 'lib/node_modules')
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['meetroom'])
  expect(existsSync(join(modules, 'meetroom/node_modules'))).toBe(false)
  // npm builds every package that has a binding.gyp, even without a script.
  expect(existsSync(join(modules, 'meetroom/binding.gyp'))).toBe(false)
  const { scripts } = JSON.parse(readFileSync(join(modules, 'meetroom/package.json'), 'utf8'))
  for (const hook of installHooks) expect(scripts).not.toHaveProperty(hook)
  const meetroom = (...argv: string[]) =>
    runCommand(join(prefix, 'bin/meetroom'), argv, {
      HOME: dir,
      MEETROOM_DATA_DIR: join(dir, 'data'),
    })
  expect((await meetroom('--version')).code).toBe(0)
  expect((await meetroom('rooms', 'list')).code).toBe(2)
  const local = await meetroom('--local', 'rooms', 'list')
  // If Node has no built-in SQLite, the error names a solution.
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 13))
    expect(local).toMatchObject({ code: 0, stderr: 'no rooms\n' })
  else
    expect(local).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: the embedded service needs Node 22.13 or newer, or the package libsql: npm install libsql\nhint: for a global meetroom: npm install --global libsql\n',
    })
})
