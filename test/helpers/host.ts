import { PassThrough, Readable } from 'node:stream'
import type { Host } from '../../src/host.ts'

export interface HostOptions {
  env?: Record<string, string | undefined>
  /** Content of standard input; if undefined, a terminal with `tty`, and empty without `tty`. */
  stdin?: string | Uint8Array
  /** True if standard output and standard error are a terminal. */
  tty?: boolean
  columns?: number
  rows?: number
  cwd?: string
  /** Process ID; `testPid` by default. */
  pid?: number
  /** User ID; that of this process by default. */
  uid?: number
  /** False for an account without a home directory. */
  hasHome?: boolean
  platform?: NodeJS.Platform
}

/** Default process ID. Only this ID and the next ID count as running. */
export const testPid = 4242

/** Start time of the test clocks: 2026-01-02T03:04:05.678Z. */
export const testNow = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

class Capture {
  text = ''
  readonly chunks: Buffer[] = []
  failure: Error | undefined
  readonly #resizes = new Set<() => void>()

  constructor(
    readonly isTTY: boolean,
    public columns: number | undefined,
    public rows: number | undefined,
  ) {}

  onResize(listener: () => void): () => void {
    this.#resizes.add(listener)
    return () => this.#resizes.delete(listener)
  }

  resize(columns: number, rows: number): void {
    Object.assign(this, { columns, rows })
    for (const listener of this.#resizes) listener()
  }

  async write(data: string | Uint8Array): Promise<void> {
    if (this.failure) throw this.failure
    this.chunks.push(Buffer.from(data))
    this.text += typeof data === 'string' ? data : new TextDecoder().decode(data)
  }
}

export interface TestHost extends Host {
  readonly stdout: Capture
  readonly stderr: Capture
  /** Durations of the sleeps, in milliseconds. Sleeping takes no real time. */
  readonly slept: number[]
  /** Moves only the wall clock; the monotonic clock continues. */
  setWallClock(byMs: number): void
  type(text: string): void
  /** Ends the input of the terminal. */
  hangUp(): void
  signal(name: 'SIGINT' | 'SIGTERM'): void
  /** Makes new timers fire immediately. Returns their delays, in milliseconds. */
  hurry(): readonly number[]
}

export function testHost({
  env = {},
  stdin,
  tty = false,
  columns = 80,
  rows = 24,
  cwd = '/',
  pid = testPid,
  uid = process.getuid?.(),
  hasHome = true,
  platform = 'linux',
}: HostOptions = {}): TestHost {
  const keyboard = Object.assign(new PassThrough(), {
    isTTY: tty,
    setRawMode: () => keyboard,
  })
  const listeners = new Set<(name: 'SIGINT' | 'SIGTERM') => void>()
  const slept: number[] = []
  let wall = testNow
  let elapsed = 0
  const size = [tty ? columns : undefined, tty ? rows : undefined] as const
  const stderr = new Capture(tty, ...size)
  // A terminal wraps prompts at its width. With `_isStdio`, a prompt does not end this stream.
  const prompt = Object.assign(new PassThrough(), { _isStdio: true }, tty ? { columns } : {})
  prompt.on('data', (chunk) => void stderr.write(chunk))
  if (!tty && stdin === undefined) keyboard.end()
  const host: TestHost = {
    env,
    stdin:
      stdin === undefined ? keyboard : Object.assign(Readable.from([Buffer.from(stdin)]), { isTTY: false }),
    stdout: new Capture(tty, ...size),
    stderr,
    prompt,
    platform,
    nodeVersion: '20.20.2',
    cwd,
    pid,
    uid,
    effectiveUid: uid,
    userName: async () => 'operator',
    kill(other) {
      try {
        process.kill(other, 'SIGKILL')
      } catch {
        // The process has ended.
      }
    },
    isAlive: (other) => other === testPid || other === testPid + 1,
    dirs: async () =>
      hasHome
        ? {
            config: '/proc/nonexistent/config',
            data: '/proc/nonexistent/data',
            cache: env['XDG_CACHE_HOME'] ?? '/dev/null/cache',
          }
        : undefined,
    now: () => wall + elapsed,
    monotonic: () => elapsed,
    after(ms, work) {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      elapsed += ms
      // Yields to other tasks, which a loop of sleeps would otherwise block.
      await new Promise((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
    },
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    random: () => 0.5,
    quietly: (load) => load(),
    slept,
    setWallClock(byMs) {
      wall += byMs
    },
    type: (text) => void keyboard.write(text),
    hangUp: () => void keyboard.end(),
    signal: (name) => {
      for (const listener of listeners) listener(name)
    },
    hurry() {
      const delays: number[] = []
      host.after = (ms, work) => {
        delays.push(ms)
        const timer = setImmediate(work)
        return () => clearImmediate(timer)
      }
      return delays
    },
  }
  return host
}
