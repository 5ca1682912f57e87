import { fstatSync, writeSync } from 'node:fs'

declare const visible: unique symbol

/** Text without terminal control characters. Only `cli/output/terminal/visible.ts` creates it. */
export type Visible = string & { readonly [visible]: true }

/** An output stream. `write` resolves when the text is handed over. */
export type Output = Terminal | Pipe

export interface Terminal {
  readonly isTTY: true
  readonly columns: number | undefined
  readonly rows: number | undefined
  onResize(listener: () => void): () => void
  write(text: Visible): Promise<void>
}

/** Output for programs. The caller has checked that it is not a terminal. */
interface Pipe {
  readonly isTTY: false
  readonly columns: number | undefined
  write(data: string | Uint8Array): Promise<void>
}

export type Input = NodeJS.ReadableStream & {
  isTTY?: boolean
  destroy?(): unknown
  /** In raw mode, keys arrive immediately and without echo, including ^C. */
  setRawMode?(isRaw: boolean): unknown
}

/** Signals that ask the program to stop. */
type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** Raw stream of `stderr`, for prompts that move the cursor. */
  readonly prompt: NodeJS.WritableStream
  /** True when a flag asks for ASCII symbols. */
  readonly ascii?: boolean
  readonly platform: NodeJS.Platform
  readonly nodeVersion: string
  /** @throws a system error of `uv_cwd` when the working directory is deleted */
  readonly cwd: string
  readonly pid: number
  /** User ID; undefined on systems without user IDs. */
  readonly uid: number | undefined
  /** ID of the user who owns new files; undefined on systems without user IDs. */
  readonly effectiveUid: number | undefined
  /** Path of Node's executable. */
  readonly nodePath: string
  /** Directory of the package, which holds `bin` and `dist`. */
  readonly packageDir: string
  userName(): Promise<string>
  isAlive(pid: number): boolean
  /** Kills a process, or the process group `-pid`. Ignores ended processes. */
  kill(pid: number): void
  dirs(): Promise<{ config: string; data: string; cache: string }>
  /** Wall clock, in milliseconds since 1970. */
  now(): number
  /** Milliseconds since an arbitrary moment; never goes back or jumps. */
  monotonic(): number
  /** Runs `work` after up to 2³¹−1 milliseconds without keeping the process alive; the returned function cancels it. */
  after(ms: number, work: () => void): () => void
  /** Resolves after `ms` milliseconds, or rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Listens for stop signals; the returned function stops listening. */
  onSignal(listener: (signal: StopSignal) => void): () => void
  /** Returns a fraction in [0, 1), for jitter. */
  random(): number
  /** Loads a module without Node's experimental warning. */
  quietly<T>(load: () => Promise<T>): Promise<T>
}

/**
 * Opens the stream at the first write, as opening takes milliseconds.
 * @param mayBlock returns true when a slow reader may block the program; pipes and files need no stream then
 */
function createOutput(fd: number, open: () => NodeJS.WriteStream, mayBlock: () => boolean): Output {
  let opened: NodeJS.WriteStream | undefined
  const stream = () => {
    if (opened) return opened
    opened = open()
    // An unhandled 'error' event would end the process; the write callback reports it already.
    opened.on('error', () => {})
    return opened
  }
  let device: boolean | undefined
  /** Returns true for a possible terminal. Only Node can tell on Windows. */
  const isDevice = () => {
    device ??= process.platform === 'win32' || fstatSync(fd).isCharacterDevice()
    return device
  }
  const isTTY = () => isDevice() && stream().isTTY === true
  return {
    get isTTY() {
      return isTTY()
    },
    get columns() {
      // Some terminals report a size of 0.
      return isTTY() ? stream().columns || undefined : undefined
    },
    get rows() {
      return stream().isTTY ? stream().rows || undefined : undefined
    },
    onResize(listener) {
      stream().on('resize', listener)
      return () => stream().off('resize', listener)
    },
    write: async (data: string | Uint8Array) => {
      const rest = opened || !mayBlock() || isDevice() ? data : writeNow(fd, Buffer.from(data))
      if (rest.length === 0) return
      await new Promise<void>((resolve, reject) => {
        stream().write(rest, (error) => (error ? reject(error) : resolve()))
      })
    },
  }
}

/** Returns the unwritten rest of a non-blocking pipe. */
function writeNow(fd: number, data: Uint8Array): Uint8Array {
  let rest = data
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return rest
}

/** Creates the host of the real machine, the only user of `process`. */
export function createProcessHost(): Host {
  let listeners = 0
  // Without a listener, a signal ends a blocked program.
  const mayBlock = () => listeners === 0
  return {
    env: process.env,
    // Opening stdin takes a handle, and most commands never read it.
    get stdin() {
      return process.stdin
    },
    stdout: createOutput(1, () => process.stdout, mayBlock),
    stderr: createOutput(2, () => process.stderr, mayBlock),
    get prompt() {
      return process.stderr
    },
    platform: process.platform,
    nodeVersion: process.versions.node,
    get cwd() {
      return process.cwd()
    },
    pid: process.pid,
    uid: process.getuid?.(),
    effectiveUid: process.geteuid?.(),
    nodePath: process.execPath,
    packageDir: `${import.meta.dirname}/..`,
    async userName() {
      const { userInfo } = await import('node:os')
      try {
        return userInfo().username
      } catch {
        // A container's user ID may have no name.
        return `uid ${process.getuid?.()}`
      }
    },
    kill(pid) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process has ended.
      }
    },
    isAlive(pid) {
      try {
        return process.kill(pid, 0)
      } catch (error) {
        // The process belongs to another user.
        return (error as NodeJS.ErrnoException).code === 'EPERM'
      }
    },
    async dirs() {
      const { default: envPaths } = await import('env-paths')
      return envPaths('meetroom', { suffix: '' })
    },
    now: () => Date.now(),
    // Loading the global `performance` takes a millisecond.
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    after(ms, work) {
      const timer = setTimeout(work, ms)
      // Timers must not keep the program alive.
      timer.unref()
      return () => clearTimeout(timer)
    },
    async sleep(ms, signal) {
      const { setTimeout: delay } = await import('node:timers/promises')
      await delay(ms, undefined, signal ? { signal } : {})
    },
    onSignal(listener) {
      const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
      const handlers = signals.map((signal) => [signal, () => listener(signal)] as const)
      for (const [signal, handler] of handlers) process.on(signal, handler)
      listeners++
      let isListening = true
      return () => {
        if (!isListening) return
        isListening = false
        listeners--
        for (const [signal, handler] of handlers) process.off(signal, handler)
      }
    },
    random: Math.random,
    async quietly(load) {
      const { emitWarning } = process
      process.emitWarning = (warning, ...rest: unknown[]) => {
        if (rest[0] !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...rest])
      }
      try {
        return await load()
      } finally {
        process.emitWarning = emitWarning
      }
    },
  }
}
