import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from './helpers/built.ts'

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

test('the package is small, and holds the launcher, the program and what people read', async () => {
  expect(statSync(tarball).size).toBeLessThan(450 * 1024)
  const { stdout } = await runCommand('tar', ['-tzf', tarball], {})
  const files = stdout.trim().split('\n').sort()
  const part = /^package\/dist\/[a-z]+-[A-Z0-9]{8}\.js$/
  expect(files.filter((file) => !part.test(file))).toEqual([
    'package/LICENSE',
    'package/README.md',
    'package/bin/keep-cache.js',
    'package/bin/meetroom.js',
    'package/dist/LEGAL.txt',
    'package/dist/build.json',
    'package/dist/meetroom.js',
    'package/package.json',
  ])
  expect(files.filter((file) => part.test(file)).length).toBeLessThan(20)
})

test('the licences of what is bundled go along', async () => {
  const { stdout } = await runCommand('tar', ['-xzOf', tarball, 'package/dist/LEGAL.txt'], {})
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
    expect(stdout).toMatch(new RegExp(`^${name} ${version}\\n\\n[^-]*(MIT|License)`, 'm'))
  }
})

test('it downloads nothing and runs nothing when it is installed', () => {
  const { dependencies, optionalDependencies, scripts, peerDependenciesMeta } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  expect({ dependencies, optionalDependencies }).toEqual({
    dependencies: undefined,
    optionalDependencies: undefined,
  })
  expect(peerDependenciesMeta).toEqual({ libsql: { optional: true } })
  for (const hook of ['preinstall', 'install', 'postinstall']) expect(scripts).not.toHaveProperty(hook)
})

test('publint has nothing to say', { timeout: 60_000 }, async () => {
  const { code, stdout } = await runCommand('node_modules/.bin/publint', ['--strict', tarball], { HOME: dir })
  expect(code, stdout).toBe(0)
  expect(stdout).toContain('All good!')
})

test('installed into an empty folder, with no network, it runs', { timeout: 60_000 }, async () => {
  const prefix = join(dir, 'prefix')
  const installed = await npm(
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--omit=peer',
    '--prefix',
    prefix,
    tarball,
  )
  expect(installed.code, installed.stderr).toBe(0)
  const meetroom = (...argv: string[]) =>
    runCommand(join(prefix, 'node_modules/.bin/meetroom'), argv, {
      HOME: dir,
      MEETROOM_DATA_DIR: join(dir, 'data'),
    })
  expect((await meetroom('--version')).code).toBe(0)
  expect((await meetroom('rooms', 'list')).code).toBe(2)
  const local = await meetroom('--local', 'rooms', 'list')
  // Where Node has no SQLite of its own, the tool says what to do.
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 13))
    expect(local).toMatchObject({ code: 0, stderr: 'no rooms\n' })
  else
    expect(local).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: the embedded service needs Node 22.13 or newer, or the package libsql\nhint: install libsql where meetroom is: npm install libsql, or npm install --global libsql for a global meetroom\n',
    })
})
