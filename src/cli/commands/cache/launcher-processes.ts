import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'

const timeoutMs = 120_000

export class LauncherProcesses {
  readonly #node: string
  readonly #launcher: string
  readonly #options: { env: Record<string, string>; cwd: string }
  readonly #interrupt: AbortSignal

  /** @param home directory of settings, data and caches; the user's environment is not passed on */
  constructor({ nodePath, packageDir }: Host, home: string, interrupt: AbortSignal) {
    this.#node = nodePath
    this.#launcher = join(packageDir, 'bin/meetroom.js')
    const env = {
      HOME: home,
      TMPDIR: home,
      XDG_CACHE_HOME: join(home, 'cache'),
      MEETROOM_CONFIG_DIR: join(home, 'config'),
      MEETROOM_DATA_DIR: join(home, 'data'),
      MEETROOM_WARMING: '1',
    }
    this.#options = { env, cwd: home }
    this.#interrupt = interrupt
  }

  async run(words: readonly string[], stdin = ''): Promise<string | undefined> {
    const limits = { signal: this.#interrupt, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 }
    const running = promisify(execFile)(this.#node, [this.#launcher, ...words], {
      ...this.#options,
      ...limits,
    })
    // A command may exit before it has read all input.
    running.child.stdin?.on('error', () => {}).end(stdin)
    try {
      return (await running).stdout.trim()
    } catch {
      this.#interrupt.throwIfAborted()
      return undefined
    }
  }

  /**
   * Starts a service in memory. `stop` resolves when its process has ended.
   * @param keyFile file for its API key
   * @throws {UsageError} when it cannot start
   */
  async serve(keyFile: string): Promise<{ baseUrl: string; stop(): Promise<void> }> {
    const words = ['serve', '--ephemeral', '--port', '0', '--api-key-file', keyFile]
    const child = spawn(this.#node, [this.#launcher, ...words], {
      ...this.#options,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    const stop = async () => {
      child.kill('SIGTERM')
      await ended
    }
    const problem = text(child.stderr)
    for await (const line of child.stdout.setEncoding('utf8')) return { baseUrl: String(line).trim(), stop }
    await stop()
    this.#interrupt.throwIfAborted()
    const [, reason = 'it ended without an error message'] = /^error: (.*)$/m.exec(await problem) ?? []
    const [, hint] = /^hint: (.*)$/m.exec(await problem) ?? []
    throw new UsageError(`the service for the commands cannot start: ${reason}`, { hint })
  }
}
