import { constants, createWriteStream, existsSync, rmSync, type WriteStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { MeetroomError, UsageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { Draft } from './draft.ts'
import { toWriteError } from './file-errors.ts'
import { resolveOutput } from './file-kind.ts'
import { SignalWait } from './signal-wait.ts'

/** Output that the user named. A file is replaced when the output is complete. */
export class OutputFile {
  readonly #stream: WriteStream
  readonly #ended: Promise<void>
  readonly #draft: Draft | undefined

  private constructor(path: string, stream: WriteStream, draft?: Draft) {
    this.#stream = stream
    this.#draft = draft
    this.#ended = finished(stream).catch((error: NodeJS.ErrnoException) => {
      draft?.discard()
      throw toWriteError(path, error)
    })
    // `close` reports the error. Until then, this handler prevents an unhandled rejection.
    this.#ended.catch(() => {})
  }

  /**
   * @throws {UsageError} if the file must not be replaced
   * @throws {OutputError} if the file cannot be opened
   * @throws {InterruptedError} if a signal arrives before a pipe has a reader
   */
  static async open(file: string, host: Pick<Host, 'cwd' | 'onSignal'>): Promise<OutputFile> {
    const path = resolveOutput(file, host)
    try {
      if (await isDevice(path))
        return new OutputFile(path, (await openDevice(path, host)).createWriteStream())
      const draft = new Draft(path, { follow: true })
      return new OutputFile(path, createWriteStream('', { fd: draft.fd, autoClose: false }), draft)
    } catch (error) {
      if (error instanceof MeetroomError) throw error
      throw toWriteError(file, error)
    }
  }

  async write(text: string): Promise<void> {
    if (this.#stream.write(text)) return
    await Promise.race([new Promise<void>((done) => this.#stream.once('drain', done)), this.#ended])
  }

  /** @throws {OutputError} if the output cannot be written */
  async close(rest = ''): Promise<void> {
    this.#stream.end(rest)
    await this.#ended
    try {
      this.#draft?.publish()
    } catch (error) {
      throw toWriteError(this.#draft?.target ?? '', error)
    }
  }

  async discard(): Promise<void> {
    this.#stream.end()
    await this.#ended
    this.#draft?.discard()
  }

  /** Discards the output, and removes the file of an earlier run. Returns true if that file existed. */
  async remove(): Promise<boolean> {
    await this.discard()
    if (!this.#draft || !existsSync(this.#draft.target)) return false
    rmSync(this.#draft.target, { force: true })
    return true
  }
}

/**
 * Requires that an output replaces only an empty file or a file of the same kind.
 * @param kind name with its article, such as “a plan”
 * @throws {UsageError} if the file has other contents
 */
export async function requireSameKind(
  file: string,
  host: Pick<Host, 'cwd'>,
  kind: string,
  isKind: () => Promise<boolean>,
): Promise<void> {
  const found = await stat(resolveOutput(file, host)).catch(() => undefined)
  if (!found?.isFile() || found.size === 0 || (await isKind())) return
  throw new UsageError(`${file} already exists, and is not ${kind}`, { hint: 'pass a new file' })
}

async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

async function openDevice(path: string, host: Pick<Host, 'onSignal'>): Promise<FileHandle> {
  const wait = new SignalWait(host)
  try {
    return await wait.until(() => open(path, constants.O_WRONLY))
  } finally {
    wait.release()
  }
}
