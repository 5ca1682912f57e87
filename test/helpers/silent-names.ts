import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { latch } from './waiting.ts'
import { tempDir } from './world.ts'

/** Loopback address that is probably not in use. */
const address = '127.83.71.53'
const port = 53

const mounting = (dir: string) =>
  [
    `mount --bind ${dir}/resolv.conf /etc/resolv.conf`,
    // Excludes sources other than files and DNS.
    existsSync('/etc/nsswitch.conf') ? `mount --bind ${dir}/nsswitch.conf /etc/nsswitch.conf` : 'true',
  ].join(' && ')

function withFiles(): string {
  const dir = tempDir()
  writeFileSync(join(dir, 'resolv.conf'), `nameserver ${address}\n`)
  writeFileSync(join(dir, 'nsswitch.conf'), 'hosts: files dns\n')
  return dir
}

/** Starts a name server that never responds. Returns undefined if mounting or listening on port 53 fails. */
export async function silentNames() {
  const mount = mounting(withFiles())
  const script = `${mount} && exec "$@"`
  const tried = spawnSync('unshare', ['-m', 'sh', '-c', mount])
  if (tried.status !== 0) return undefined
  const server = createSocket('udp4')
  const { open, opened } = latch()
  server.on('message', open)
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).bind(port, address, () => resolve(true))
  })
  if (!listens) return undefined
  onTestFinished(() => void server.close())
  return {
    /** Resolves at the first query. */
    asked: opened,
    /** Wraps a command line so that it uses this name server. */
    within: (argv: readonly string[]): [string, ...string[]] => [
      'unshare',
      '-m',
      'sh',
      '-c',
      script,
      'sh',
      ...argv,
    ],
  }
}
