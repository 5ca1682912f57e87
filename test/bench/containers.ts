import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { alternate } from './measured.ts'

/** Milliseconds of each run: with no code cache, with that of `cache warm`, and with a cache of the user. */
export interface ContainerTimes {
  what: string
  cold: number[]
  warmed: number[]
  warm: number[]
}

const unknown = 12345
const asUnknown =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0
    ? ['setpriv', `--reuid=${unknown}`, `--regid=${unknown}`, '--clear-groups']
    : []

/** Installs a copy of the built program that every user can read. */
function install(dir: string): string {
  mkdirSync(dir)
  for (const name of ['bin', 'dist']) cpSync(name, join(dir, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
  chmodSync(dir, 0o755)
  return join(dir, 'bin/meetroom.js')
}

/**
 * Runs commands as a user without a home directory, such as in a container, in turn without a cache, with a warmed one
 * and with one of their own.
 * @param dir empty directory
 * @param lines command lines by their names
 * @param env selects the service
 */
export async function measureContainers(
  dir: string,
  lines: Readonly<Record<string, readonly string[]>>,
  env: Readonly<Record<string, string>>,
  pairs: number,
): Promise<ContainerTimes[]> {
  const home = join(dir, 'home')
  const bare = {
    ...{ PATH: process.env['PATH'], ...env },
    ...{ HOME: '/nonexistent', MEETROOM_DATA_DIR: join(home, 'data') },
  }
  mkdirSync(home)
  if (asUnknown.length > 0) chownSync(home, unknown, unknown)
  for (let path = dir; path.startsWith('/tmp/'); path = resolve(path, '..')) chmodSync(path, 0o755)
  const plain = install(join(dir, 'plain'))
  const warmed = install(join(dir, 'warmed'))
  const time = (words: readonly string[], environment: NodeJS.ProcessEnv): number => {
    const [program = '', ...rest] = words
    const began = performance.now()
    const { status, stderr } = spawnSync(program, rest, { env: environment })
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
    return performance.now() - began
  }
  time([process.execPath, warmed, 'cache', 'warm'], { PATH: process.env['PATH'] })
  const measured: ContainerTimes[] = []
  for (const [what, words] of Object.entries(lines)) {
    const run = (launcher: string, environment: NodeJS.ProcessEnv) =>
      time([...asUnknown, process.execPath, launcher, ...words], environment)
    const kinds = {
      cold: () => run(plain, bare),
      warmed: () => run(warmed, bare),
      warm: () => run(plain, { ...bare, HOME: home }),
    }
    // The first runs write the user's own cache.
    await alternate(3, kinds)
    measured.push({ what, ...(await alternate(pairs, kinds)) })
  }
  return measured
}
