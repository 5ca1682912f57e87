import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { latch } from './waiting.ts'
import { tempDir } from './world.ts'

/** Of loopback, and nobody’s: many machines run a name server of their own at 127.0.0.53. */
const address = '127.83.71.53'
const port = 53

const mounting = (dir: string) =>
  [
    `mount --bind ${dir}/resolv.conf /etc/resolv.conf`,
    // Nobody but the name server is asked.
    existsSync('/etc/nsswitch.conf') ? `mount --bind ${dir}/nsswitch.conf /etc/nsswitch.conf` : 'true',
  ].join(' && ')

function withFiles(): string {
  const dir = tempDir()
  writeFileSync(join(dir, 'resolv.conf'), `nameserver ${address}\n`)
  writeFileSync(join(dir, 'nsswitch.conf'), 'hosts: files dns\n')
  return dir
}

/**
 * A name server that is asked and says nothing, until the test is over; undefined where a process cannot have one of its own:
 * that takes mounts, and the right to listen on port 53.
 */
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
    /** Resolves when it is asked for the first time. */
    asked: opened,
    /** The command line that runs another so that it asks this name server. */
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
