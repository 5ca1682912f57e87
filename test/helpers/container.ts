import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { quoteForShell } from '../../src/api/quote-for-shell.ts'
import { node } from './built.ts'

/** Parsed arguments of `docker run`, without ignored flags. */
export interface Container {
  readOnly: boolean
  /** Mount options of the in-memory file system at /tmp; undefined without `--tmpfs`. */
  tmpfs: string | undefined
  user: string
  workdir: string
  env: Record<string, string>
  /** Mounted directories; `to` is the path in the container. */
  volumes: { from: string; to: string; readOnly: boolean }[]
  image: string
  words: string[]
}

const taking = ['--tmpfs', '--env', '--user', '--volume', '--workdir', '--name', '--publish']

/**
 * Parses the arguments of `docker run`.
 * @param env environment of docker
 * @throws {Error} for an unsupported flag
 */
export function readDockerRun(given: readonly string[], env: Record<string, string | undefined>): Container {
  const words = [...given]
  const options: [string, string][] = []
  for (let word = words[0]; word?.startsWith('--'); word = words[0]) {
    words.shift()
    if (taking.includes(word)) options.push([word, words.shift() ?? ''])
    else if (['--rm', '--init', '--read-only', '--detach'].includes(word)) options.push([word, ''])
    else throw new Error(`docker run ${word}`)
  }
  const all = (name: string) => options.flatMap(([option, value]) => (option === name ? [value] : []))
  const [image = '', ...rest] = words
  return {
    readOnly: all('--read-only').length > 0,
    tmpfs: all('--tmpfs')[0]?.replace(/^\/tmp:?/, ''),
    user: all('--user')[0] ?? '0:0',
    workdir: all('--workdir')[0] ?? '/',
    // Docker takes a variable without a value from its own environment.
    env: Object.fromEntries(
      all('--env').map((text) => {
        const [name = '', value] = text.split(/=(.*)/s)
        return [name, value ?? env[name] ?? '']
      }),
    ),
    volumes: all('--volume').map((text) => {
      const [from = '', to = '', mode] = text.split(':')
      return { from, to, readOnly: mode === 'ro' }
    }),
    image,
    words: rest,
  }
}

/** True if this process may create mount and PID namespaces. */
export const hasNamespaces =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']).status === 0

/**
 * Returns the command line of a container with the system directories of this machine, and with volumes below
 * /mnt.
 * @param programs directory that is mounted as the first directory in PATH
 * @param root mount point of the root directory
 * @param packageDir installed package, readable by the user of the container
 */
export function inContainer(
  container: Container,
  programs: string,
  root: string,
  packageDir: string,
): [string, ...string[]] {
  const inside = (text: string) =>
    container.volumes.reduce(
      (found, { to }) => found.replaceAll(new RegExp(`^${to}(?=/|$)`, 'g'), `/mnt${to}`),
      text,
    )
  const R = quoteForShell(root)
  const bind = (from: string, to: string, how = '') =>
    `mount --bind ${quoteForShell(from)} ${R}${to}${how && ` && mount -o remount,bind,${how} ${R}${to}`}`
  const env = Object.entries({ HOME: '/', PATH: '/mnt/bin:/usr/bin:/bin', ...container.env })
  const script = [
    'set -e',
    'mount --make-rprivate /',
    `mount --rbind / ${R}`,
    ...(container.readOnly ? [`mount -o remount,bind,ro ${R}`] : []),
    `mount -t tmpfs -o ${container.tmpfs === undefined ? 'ro' : `nosuid,nodev,${container.tmpfs || 'noexec'}`} tmpfs ${R}/tmp`,
    `mount -t proc proc ${R}/proc`,
    `mount -t tmpfs tmpfs ${R}/mnt`,
    `mkdir ${['bin', 'meetroom', ...container.volumes.map(({ to }) => to.slice(1))].map((name) => `${R}/mnt/${name}`).join(' ')}`,
    `touch ${R}/mnt/node`,
    bind(packageDir, '/mnt/meetroom', 'ro'),
    bind(programs, '/mnt/bin', 'ro'),
    bind(node, '/mnt/node'),
    ...container.volumes.map(({ from, to, readOnly }) => bind(from, `/mnt${to}`, readOnly ? 'ro' : '')),
    `mount -o remount,ro ${R}/mnt`,
    `exec chroot --userspec=${container.user} ${R} env -i ${env.map(([name, value]) => quoteForShell(`${name}=${inside(value)}`)).join(' ')} ` +
      `sh -c 'cd "$0" && exec "$@"' ${[inside(container.workdir), ...container.words.map(inside)].map(quoteForShell).join(' ')}`,
  ].join('\n')
  return ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script]
}

/**
 * Returns the process ID of the only child.
 * @throws {Error} if there is no child, or more than one
 */
export function childOf(pid: number | undefined): number {
  const found = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) \S /s, '')
        .startsWith(`${pid} `)
    } catch {
      return false
    }
  })
  if (found.length !== 1) throw new Error(`process ${pid} has ${found.length} children`)
  return Number(found[0])
}
