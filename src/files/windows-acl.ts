import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Host } from '../host.ts'
import { describeSystemError } from './system-error.ts'

const options = { timeout: 10_000, windowsHide: true }

/**
 * Gives this user full access to a path on Windows, and removes inherited access.
 * @returns the reason for a failure; undefined on success
 */
export async function keepToUser(
  path: string,
  what: 'file' | 'directory',
  { env }: Pick<Host, 'env'>,
): Promise<string | undefined> {
  try {
    // Unlike a user name, the security ID does not depend on language or domain.
    const [, sid] =
      /"(S-1-[\d-]+)"\s*$/.exec(await run(env, 'whoami.exe', '/user', '/fo', 'csv', '/nh')) ?? []
    if (sid === undefined) return 'whoami.exe does not print the ID of your account'
    // With the flags OI and CI, new files and directories inherit the right.
    const right = what === 'directory' ? `*${sid}:(OI)(CI)F` : `*${sid}:F`
    await run(env, 'icacls.exe', resolve(path), '/inheritance:r', '/grant:r', right, '/q')
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

async function run(env: Host['env'], program: string, ...words: string[]): Promise<string> {
  const path = join(env['SystemRoot'] ?? 'C:\\Windows', 'System32', program)
  try {
    return (await promisify(execFile)(path, words, options)).stdout
  } catch (error) {
    const { code } = error as { code?: unknown }
    const why = typeof code === 'number' ? `exit code ${code}` : describeSystemError(error, 'no such program')
    throw new Error(`${program} failed: ${why}`)
  }
}
