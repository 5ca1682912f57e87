import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

// Benchmarks run in the directory of the project.
export const launcher = resolve('bin/meetroom.js')

export interface Served {
  baseUrl: string
  apiKey: string
  pid: number
  dir: string
  child: ChildProcess
  /** Returns peak and current resident memory, in MB. */
  memory(): { peak: number; now: number }
  stop(): Promise<void>
}

/** Starts `meetroom serve` in a separate process. `stop` removes `dir`. */
export async function startService(
  dir = mkdtempSync(join(tmpdir(), 'meetroom-bench-')),
  flags: string[] = [],
): Promise<Served> {
  const place = flags.includes('--ephemeral') ? [] : ['--data-dir', dir]
  const child = spawn(
    process.execPath,
    [launcher, 'serve', ...place, '--port', '0', '--json', '-q', ...flags],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ready = await firstLine(child)
  const { base_url, api_key_file, pid } = JSON.parse(ready)
  return {
    baseUrl: base_url,
    apiKey: readFileSync(api_key_file, 'utf8').trim(),
    pid,
    dir,
    child,
    memory() {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const mb = (name: string) =>
        Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
      return { peak: mb('VmHWM'), now: mb('VmRSS') }
    },
    async stop() {
      const ended = new Promise((done) => child.once('close', done))
      child.kill('SIGTERM')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) done(text.slice(0, end))
    })
    child.once('close', () => failed(new Error('the service ended before it was ready')))
  })
}

/** Returns the parsed response, regardless of its status. */
export async function send(
  served: Pick<Served, 'baseUrl' | 'apiKey'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<any> {
  const response = await fetch(served.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${served.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json()
}
