import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { notice } from '../suites/size.ts'
import { launcher, node } from './built.ts'
import { type CommandOptions, runCommand } from './command.ts'
import { homes, type Ready, startServe } from './serving.ts'

/** True if strace works on this machine. Otherwise, this module prints a notice. */
export const canTrace =
  process.platform === 'linux' && spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0
if (!canTrace) notice('system calls', 'strace is not installed, or must not be used')

export interface Event {
  what: 'logged' | 'synced' | 'told'
  /** Line of strace, including the written text; empty for a sync. */
  text: string
}

/**
 * Traces serve, and stops it after `use` resolves.
 * @returns writes and successful syncs of the write-ahead log, and writes to connections, in order
 */
export async function traceServe(
  script: string,
  dir: string,
  use: (ready: Ready) => Promise<void>,
): Promise<Event[]> {
  const file = join(dir, 'strace.txt')
  const calls = 'write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync'
  const tracing = ['-f', '-y', '-s', '70000', '-o', file, '-e', `trace=${calls}`, '-e', 'signal=none']
  const { ready, stop } = await startServe(
    ['-q'],
    { ...homes(), MEETROOM_DATA_DIR: join(dir, 'data') },
    {
      script,
      within: (line) => ['strace', ...tracing, ...line],
    },
  )
  await use(ready)
  await stop()
  return eventsOf(readFileSync(file, 'latin1'))
}

/** Parses the output of strace. A sync counts from its return, and a write from its start. */
function eventsOf(trace: string): Event[] {
  const syncing = new Set<string>()
  return trace.split('\n').flatMap((line): Event[] => {
    const [, thread = '', resumed, call = resumed ?? '', path = ''] =
      /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\(\d+<([^>]*)>)/.exec(line) ?? []
    const isSync = call === 'fsync' || call === 'fdatasync' || resumed === 'fsync' || resumed === 'fdatasync'
    if (isSync) {
      if (line.includes('<unfinished')) {
        if (path.endsWith('-wal')) syncing.add(thread)
        return []
      }
      const ofLog = resumed ? syncing.delete(thread) : path.endsWith('-wal')
      return ofLog && / = 0$/.test(line) ? [{ what: 'synced', text: '' }] : []
    }
    if (path.endsWith('-wal')) return [{ what: 'logged', text: line }]
    if (/^(TCP|socket)/.test(path)) return [{ what: 'told', text: line }]
    return []
  })
}

/**
 * Finds responses about data that was not yet on disk.
 * @param marks unique texts in the written data
 * @returns one line per text that was sent too early, or was never sent
 */
export function toldTooEarly(events: readonly Event[], marks: readonly string[]): string[] {
  return marks.flatMap((mark) => {
    const told = events.findIndex(({ what, text }) => what === 'told' && text.includes(mark))
    const logged = events.findIndex(({ what, text }) => what === 'logged' && text.includes(mark))
    if (told < 0) return [`${mark} was never told`]
    if (logged < 0 || told < logged) return [`${mark} was told before it was written`]
    const synced = events.findIndex(({ what }, at) => what === 'synced' && at > logged)
    return synced < 0 || told < synced ? [`${mark} was told before it was synced`] : []
  })
}

/** System calls that open, create, rename or remove a path. */
const touching =
  /\b(?:open|openat|creat|mkdir|mkdirat|rename|renameat2?|link|linkat|symlink|symlinkat|unlink|unlinkat|rmdir)\(/

/** Returns the paths below `root` in `touching` system calls of the built program. */
export async function tracePaths(
  argv: readonly string[],
  env: Record<string, string>,
  { root, trace, ...options }: CommandOptions & { root: string; cwd: string; trace: string },
): Promise<Set<string>> {
  const tracing = ['-f', '--seccomp-bpf', '-o', trace, '-e', 'trace=file', '-e', 'signal=none']
  await runCommand('strace', [...tracing, node, launcher, ...argv], env, '', options)
  const lines = readFileSync(trace, 'latin1').split('\n')
  const paths = lines
    .filter((line) => touching.test(line))
    .flatMap((line) =>
      [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = '']) => resolve(options.cwd, path)),
    )
  return new Set(paths.filter((path) => path.startsWith(`${root}/`)))
}
