import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Host } from '../host.ts'

const options = { timeout: 10_000, windowsHide: true }

/**
 * Takes a file or folder from everybody but this user, on Windows, where modes such as 0600 mean nothing. No shell is run,
 * and nothing is looked for in PATH.
 * @returns why it could not be done; undefined when it is done
 */
export async function keepToUser(
  path: string,
  what: 'file' | 'folder',
  { env }: Pick<Host, 'env'>,
): Promise<string | undefined> {
  try {
    // The number is the same in every language and domain, while names are not.
    const [, sid] =
      /"(S-1-[\d-]+)"\s*$/.exec(await run(env, 'whoami.exe', '/user', '/fo', 'csv', '/nh')) ?? []
    if (sid === undefined) return 'whoami.exe does not tell who you are'
    // What is made in a folder inherits from it.
    const right = what === 'folder' ? `*${sid}:(OI)(CI)F` : `*${sid}:F`
    await run(env, 'icacls.exe', resolve(path), '/inheritance:r', '/grant:r', right, '/q')
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** What a program of the system prints. */
async function run(env: Host['env'], program: string, ...words: string[]): Promise<string> {
  const path = join(env['SystemRoot'] ?? 'C:\\Windows', 'System32', program)
  try {
    return (await promisify(execFile)(path, words, options)).stdout
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${program} fails (${code ?? 'no answer'})`)
  }
}
