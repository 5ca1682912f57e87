import { fstatSync, writeSync } from 'node:fs'

declare const visible: unique symbol

/** Text that is safe for a terminal. Only `cli/output/terminal/visible.ts` creates such text. */
export type Visible = string & { readonly [visible]: true }

/** Output stream. `write` resolves when the operating system has accepted the data. */
export type Output = Terminal | Pipe

export interface Terminal {
  readonly isTTY: true
  readonly columns: number | undefined
  readonly rows: number | undefined
  onResize(listener: () => void): () => void
  write(text: Visible): Promise<void>
}

/** Output that is not a terminal, and may therefore receive unfiltered data. */
interface Pipe {
  readonly isTTY: false
  readonly columns: number | undefined
  write(data: string | Uint8Array): Promise<void>
}

export type Input = NodeJS.ReadableStream & {
  isTTY?: boolean
  destroy?(): unknown
  /** Switches raw mode, in which each key press arrives immediately and without echo, even ^C. */
  setRawMode?(isRaw: boolean): unknown
}

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** Stream behind `stderr`, for prompts that move the cursor. */
  readonly prompt: NodeJS.WritableStream
  readonly ascii?: boolean
  readonly platform: NodeJS.Platform
  readonly nodeVersion: string
  /** @throws a system error of `uv_cwd` if the working directory was deleted */
  readonly cwd: string
  readonly pid: number
  /** Real user ID; undefined on systems without user IDs. */
  readonly uid: number | undefined
  /** ID of the user who owns new files; undefined on systems without user IDs. */
  readonly effectiveUid: number | undefined
  userName(): Promise<string>
  isAlive(pid: number): boolean
  /** Kills a process, or a process group given as `-pid`. Ignores a process that cannot be killed. */
  kill(pid: number): void
  /** Returns undefined if this account has no home directory. */
  dirs(): Promise<{ config: string; data: string; cache: string } | undefined>
  /** Wall clock, in milliseconds since 1970. */
  now(): number
  /** Monotonic clock, in milliseconds since an arbitrary moment. */
  monotonic(): number
  /**
   * Runs `work` after `ms` milliseconds (below 2³¹) if the program still runs.
   * @returns a function that cancels the timer
   */
  after(ms: number, work: () => void): () => void
  /** Resolves after `ms` milliseconds, or rejects with the reason of the aborted signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  onSignal(listener: (signal: StopSignal) => void): () => void
  /** Returns a fraction in [0, 1), for jitter. */
  random(): number
  /** Loads a module without Node's experimental warning. */
  quietly<T>(load: () => Promise<T>): Promise<T>
}

/** Maximum time that a write waits for its reader after a stop signal, in milliseconds. */
const maxBlockedMs = 1000

interface StopRequest {
  isMade: boolean
  /** Functions that start the timeouts of pending writes. */
  readonly limits: Set<() => void>
}

/**
 * Creates an output that opens its stream only on demand, because opening takes milliseconds.
 * @param mayBlock returns true if a slow reader may block the program
 */
function createOutput(
  fd: number,
  open: () => NodeJS.WriteStream,
  stop: StopRequest,
  mayBlock: () => boolean,
): Output {
  let opened: NodeJS.WriteStream | undefined
  const stream = () => {
    if (opened) return opened
    opened = open()
    // An unhandled `error` event would end the process. The callback of `write` reports the error.
    opened.on('error', () => {})
    return opened
  }
  let device: boolean | undefined
  /** Returns true if the output may be a terminal. On Windows, only Node's stream can detect a terminal. */
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
      // Some terminals report 0 columns.
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
        let timer: NodeJS.Timeout | undefined
        const limit = () => {
          timer = setTimeout(() => reject(new Error('no program reads the output')), maxBlockedMs)
        }
        stop.limits.add(limit)
        if (stop.isMade) limit()
        stream().write(rest, (error) => {
          stop.limits.delete(limit)
          clearTimeout(timer)
          if (error) reject(error)
          else resolve()
        })
      })
    },
  }
}

/** Writes data, and returns the rest that a full non-blocking pipe does not accept. */
function writeNow(fd: number, data: Uint8Array): Uint8Array {
  let rest = data
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return rest
}

/** Creates the real host. No other module in `src` uses `process`. */
export function createProcessHost(): Host {
  let listeners = 0
  const stop: StopRequest = { isMade: false, limits: new Set() }
  // Without a listener, the first signal ends the program even while a write blocks.
  const mayBlock = () => listeners === 0 && !stop.isMade
  return {
    env: process.env,
    // A getter, because opening stdin takes a file handle and most commands never read it.
    get stdin() {
      return process.stdin
    },
    stdout: createOutput(1, () => process.stdout, stop, mayBlock),
    stderr: createOutput(2, () => process.stderr, stop, mayBlock),
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
    async userName() {
      const { userInfo } = await import('node:os')
      try {
        return userInfo().username
      } catch {
        // In a container, the user ID may have no name.
        return `uid ${process.getuid?.()}`
      }
    },
    kill(pid) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process has ended, or belongs to another user.
      }
    },
    isAlive(pid) {
      try {
        return process.kill(pid, 0)
      } catch (error) {
        // EPERM means that the process exists but belongs to another user.
        return (error as NodeJS.ErrnoException).code === 'EPERM'
      }
    },
    dirs: findDirs,
    now: () => Date.now(),
    // `performance.now` is not used, because loading it takes a millisecond.
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    after(ms, work) {
      const timer = setTimeout(work, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
    async sleep(ms, signal) {
      const { setTimeout: delay } = await import('node:timers/promises')
      await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
        // Node rejects with an AbortError, which would be reported as a bug.
        signal?.throwIfAborted()
        throw error
      })
    },
    onSignal(listener) {
      const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
      const handlers = signals.map((signal) => {
        const handle = () => {
          if (!stop.isMade) for (const limit of stop.limits) limit()
          stop.isMade = true
          listener(signal)
        }
        return [signal, handle] as const
      })
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
      const { emitWarning } = process as { emitWarning: QuietWarning }
      // Concurrent loads share one filter, so that the last load restores the original function.
      const filter: QuietWarning =
        emitWarning.loads === undefined ? createWarningFilter(emitWarning) : emitWarning
      filter.loads = (filter.loads ?? 0) + 1
      process.emitWarning = filter
      try {
        return await load()
      } finally {
        filter.loads--
        if (filter.loads === 0 && filter.original && process.emitWarning === filter)
          process.emitWarning = filter.original
      }
    },
  }
}

async function findDirs(): ReturnType<Host['dirs']> {
  const { homedir } = await import('node:os')
  try {
    homedir()
  } catch {
    // Without a home directory, as in some containers, the library below would fail to load.
    return undefined
  }
  const { default: envPaths } = await import('env-paths')
  return envPaths('meetroom', { suffix: '' })
}

/**
 * Replacement for `process.emitWarning` that drops experimental warnings. `loads` counts the running loads.
 */
type QuietWarning = typeof process.emitWarning & { original?: typeof process.emitWarning; loads?: number }

function createWarningFilter(original: typeof process.emitWarning): QuietWarning {
  const filter: QuietWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] !== 'ExperimentalWarning') Reflect.apply(original, process, [warning, ...rest])
  }
  return Object.assign(filter, { original, loads: 0 })
}
