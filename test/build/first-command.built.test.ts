import { execFile, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { notice, share } from '../suites/size.ts'

const isRoot = process.getuid?.() === 0
const ordinaryUser = 65534

const checkedOut = [
  '.esbuild.mjs',
  '.esbuild-parts.mjs',
  '.esbuild-text.mjs',
  'LICENSE',
  'README.md',
  'bin',
  'package.json',
  'src',
  'tsconfig.json',
]

function makePath(dir: string): string {
  const path = (process.env['PATH'] ?? '').split(delimiter)
  mkdirSync(dir)
  for (const name of ['npm', 'npx', 'sh', 'env', 'mkdir', 'rm', 'cat']) {
    const found = path.map((from) => join(from, name)).find((file) => existsSync(file))
    if (found !== undefined) symlinkSync(found, join(dir, name))
  }
  symlinkSync(process.execPath, join(dir, 'node'))
  return dir
}

function checkOut(user: number | undefined) {
  const dir = mkdtempSync(join(tmpdir(), 'meetroom-checkout-'))
  const [parent, home] = [join(dir, 'parent'), join(dir, 'home')]
  const checkout = join(parent, 'meetroom')
  for (const made of [parent, home, checkout]) mkdirSync(made)
  for (const name of checkedOut) cpSync(name, join(checkout, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'))
  if (user !== undefined) {
    const owned = spawnSync('chown', ['-R', `${user}:${user}`, checkout, home])
    expect(owned.status).toBe(0)
  }
  chmodSync(dir, 0o755)
  chmodSync(parent, 0o555)
  onTestFinished(() => {
    chmodSync(parent, 0o755)
    rmSync(dir, { recursive: true })
  })
  return { checkout, home, path: makePath(join(dir, 'path')) }
}

/** Returns true if every user can enter a directory and its parents. */
function isOpen(dir: string): boolean {
  const isEntered = (statSync(dir).mode & 0o001) !== 0
  return isEntered && (dirname(dir) === dir || isOpen(dirname(dir)))
}

const canBecome =
  isRoot && isOpen(resolve('node_modules')) && isOpen(tmpdir()) && isOpen(dirname(process.execPath))
/** User IDs; undefined for the current user. A quick run builds for one user. */
const users = canBecome ? share([ordinaryUser, undefined], 0, 2) : [undefined]
if (!canBecome)
  notice('readme', 'the first command as another user: this takes root, and directories that are open to all')

test.each(users)(
  'the first README command succeeds without git or a writable parent directory (uid %s)',
  { timeout: 60_000 },
  async (user) => {
    const [, command = ''] = /```sh\n(npm ci && npx .*)\n```/.exec(readFileSync('README.md', 'utf8')) ?? []
    expect(command).toContain('rooms list')
    const { checkout, home, path } = checkOut(user)
    // `npm ci` installs packages and then runs this script.
    const line = command.replace('npm ci', 'npm run preprepare')
    const { stdout } = await promisify(execFile)(join(path, 'sh'), ['-c', line], {
      cwd: checkout,
      env: { HOME: home, PATH: path },
      ...(user !== undefined && { uid: user, gid: user }),
    })
    expect(stdout).toMatch(/^ID .*\n─.*\n[0-9a-f]{24} {2}First room {2}open {2}active /m)
  },
)
