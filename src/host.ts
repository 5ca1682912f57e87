import { fstatSync, writeSync } from 'node:fs'

declare const visible: unique symbol

/** Text without anything that a terminal would obey or hide. Only `cli/output/visible.ts` makes it. */
export type Visible = string & { readonly [visible]: true }

/** An output stream. `write` settles when the text has been handed over, and rejects when it could not be written. */
export type Output = Terminal | Pipe

/** What a person watches. */
export interface Terminal {
  readonly isTTY: true
  /** Width in columns. */
  readonly columns: number | undefined
  /** Height in lines. */
  readonly rows: number | undefined
  /** Calls back whenever somebody has changed the size; the returned function stops that. */
  onResize(listener: () => void): () => void
  write(text: Visible): Promise<void>
}

/** Output for programs: takes any text, once the caller has checked that it is not a terminal. */
export interface Pipe {
  readonly isTTY: false
  readonly columns: number | undefined
  write(data: string | Uint8Array): Promise<void>
}

/** Standard input, which may be a keyboard. */
export type Input = NodeJS.ReadableStream & {
  isTTY?: boolean
  destroy?(): unknown
  /** Whether each key arrives at once, ^C included, and none is shown. */
  setRawMode?(isRaw: boolean): unknown
}

/** The signals that ask a program to stop. */
export type Stop = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Everything the program needs of the machine. Tests hand in their own. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** The raw stream behind `stderr`, for prompts that need to move the cursor. */
  readonly prompt: NodeJS.WritableStream
  /** Whether a flag asks for ASCII symbols and no moves of the cursor. */
  readonly ascii?: boolean
  readonly platform: NodeJS.Platform
  readonly nodeVersion: string
  /** The working folder. Throws a system error of `uv_cwd` when it is not there any more. */
  readonly cwd: string
  readonly pid: number
  /** Number of the user; undefined where users have none. */
  readonly uid: number | undefined
  /** The user’s name on this machine. */
  userName(): Promise<string>
  /** Whether a process of this machine runs. */
  isAlive(pid: number): boolean
  /** Kills a process, or the group of the process `-pid`. Does nothing when it has ended. */
  kill(pid: number): void
  /** Standard folders of this user on this system. */
  dirs(): Promise<{ config: string; data: string; cache: string }>
  /** Wall clock, in milliseconds since 1970. */
  now(): number
  /** Milliseconds since an arbitrary moment: never goes back, never jumps. */
  monotonic(): number
  /** Calls back once, up to 2³¹−1 milliseconds from now, if the program still runs; the returned function cancels it. */
  after(ms: number, work: () => void): () => void
  /** Resolves after `ms` milliseconds, or rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls back when somebody asks the program to stop; the returned function stops listening. */
  onSignal(listener: (signal: Stop) => void): () => void
  /** Fraction in [0, 1), for jitter. */
  random(): number
  /** Loads something whose mere loading makes Node print that it is experimental, without that. */
  quietly<T>(load: () => Promise<T>): Promise<T>
}

/**
 * Opening a stream takes milliseconds: it is left to the first write, and most commands never write to standard error.
 * @param mayBlock whether a slow reader may hold up the whole program; a pipe or a file needs no stream then
 */
function output(fd: number, open: () => NodeJS.WriteStream, mayBlock: () => boolean): Output {
  let opened: NodeJS.WriteStream | undefined
  const stream = () => {
    if (opened) return opened
    opened = open()
    // An 'error' without a listener would end the process with a stack; the write callback reports it already.
    opened.on('error', () => {})
    return opened
  }
  let device: boolean | undefined
  /** Whether it may be a terminal. On Windows that is for Node to say, and every output has a stream. */
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
      // Some terminals do not know their size, and say 0.
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

/** Returns what is left, where another program has asked not to wait for the reader. */
function writeNow(fd: number, data: Uint8Array): Uint8Array {
  let rest = data
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return rest
}

/** The real machine. The only place in the program that touches `process`. */
export function processHost(): Host {
  let listeners = 0
  // A signal that nobody listens to ends a program that waits.
  const mayBlock = () => listeners === 0
  return {
    env: process.env,
    // Opening stdin costs a handle; most commands never read it.
    get stdin() {
      return process.stdin
    },
    stdout: output(1, () => process.stdout, mayBlock),
    stderr: output(2, () => process.stderr, mayBlock),
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
    async userName() {
      const { userInfo } = await import('node:os')
      try {
        return userInfo().username
      } catch {
        // A container may run under a number that the system has no name for.
        return `uid ${process.getuid?.()}`
      }
    },
    kill(pid) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    },
    isAlive(pid) {
      try {
        return process.kill(pid, 0)
      } catch (error) {
        // Somebody else's, which we may not signal.
        return (error as NodeJS.ErrnoException).code === 'EPERM'
      }
    },
    async dirs() {
      const { default: envPaths } = await import('env-paths')
      return envPaths('meetroom', { suffix: '' })
    },
    now: () => Date.now(),
    // The global `performance` takes a millisecond to load.
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    after(ms, work) {
      const timer = setTimeout(work, ms)
      // What keeps the program running is what it waits for, never a clock.
      timer.unref()
      return () => clearTimeout(timer)
    },
    async sleep(ms, signal) {
      const { setTimeout: delay } = await import('node:timers/promises')
      await delay(ms, undefined, signal ? { signal } : {})
    },
    onSignal(listener) {
      const signals: readonly Stop[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
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
