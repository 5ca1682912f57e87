import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { minKeyLength, type Settings } from '../../../config/settings.ts'
import { configFile, readConfig } from '../../../config/stored-file.ts'
import type { Host } from '../../../host.ts'
import { version } from '../../../version.ts'
import type { Context } from '../../kernel/context.ts'
import type { CheckResult } from './finding.ts'

/** Minimum version of Node. */
const oldest = [20, 18] as const

export function checkNode({ nodeVersion }: Host): CheckResult {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  const [least, leastMinor] = oldest
  if (major > least || (major === least && minor >= leastMinor)) return nodeVersion
  return { wrong: `${nodeVersion} is too old`, hint: `install Node ${oldest.join('.')} or newer` }
}

export function checkVersion(): CheckResult {
  return `meetroom ${version}`
}

/** Checks that the settings file, which holds keys, can be read by this user only. */
export async function checkSettings(dir: string, { uid, platform }: Host): Promise<CheckResult> {
  const file = configFile(dir)
  const found = await stat(file).catch(() => undefined)
  // Throws if the file is not valid.
  readConfig(dir, uid)
  if (!found) return `${file} does not exist, which is fine`
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0')
  // File modes have no meaning on Windows, and the names of permissions are localized.
  if (platform === 'win32') return `${file} (icacls "${file}" shows who may read it)`
  if ((found.mode & 0o077) === 0) return `${file} (mode ${mode})`
  return { wrong: `other users may use ${file} (mode ${mode})`, hint: `run: chmod 600 '${file}'` }
}

/**
 * Reports the source of the key, never the key. Runs the key command, because its failure would look like one of the
 * service.
 */
export async function checkKey(context: Context, settings: Settings): Promise<CheckResult> {
  const from = `from ${(settings.keyCommand ?? settings.apiKey)?.from}`
  const key = await context.services.key()
  if (settings.keyCommand) return `${from}, printed by a command`
  if (key.length >= minKeyLength) return from
  return { wrong: `${from}, and too short to be kept out of what is shown`, hint: 'was it cut off?' }
}

/** Checks the code cache, which the launcher uses only if nobody else can write to it. */
export async function checkCache({ env, platform, uid }: Host): Promise<CheckResult> {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = env
  const home = HOME && join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache')
  const base = XDG_CACHE_HOME || (platform === 'win32' ? LOCALAPPDATA : home)
  if (!base) return 'none, as HOME is not set: commands start slower'
  const folder = join(base, 'meetroom')
  const found = await lstat(folder).catch(() => undefined)
  if (!found) return `${folder} does not exist yet`
  const isOurs = uid === undefined || (found.uid === uid && (found.mode & 0o022) === 0)
  if (found.isDirectory() && isOurs) return folder
  return {
    wrong: `${folder} is not a folder that only you can write to: commands start slower`,
    hint: 'remove it; it is made again',
  }
}
