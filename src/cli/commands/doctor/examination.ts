import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isLoopback } from '../../../api/loopback.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { selectProxy } from '../../../client/http/proxy.ts'
import { minKeyLength, type Settings } from '../../../config/settings.ts'
import { configFilePath, readConfig } from '../../../config/stored-file.ts'
import type { Host } from '../../../host.ts'
import { version } from '../../../version.ts'
import type { Context } from '../../kernel/context.ts'
import { findOptionalConfigDir } from '../../requests/command-settings.ts'
import { requireBaseUrl } from '../../requests/find-service.ts'
import { type CheckResult, type Finding, runCheck, skipCheck } from './finding.ts'
import { checkLocal } from './local.ts'
import { type ConnectionTarget, checkConnection, checkNames, checkTls } from './network.ts'
import { checkService } from './service.ts'

/** Runs the checks in order, except checks that depend on a failed check. */
export async function* runChecks(context: Context): AsyncGenerator<Finding> {
  const { host } = context
  yield runCheck(context, 'node', () => checkNode(host))
  yield runCheck(context, 'version', () => `meetroom ${version}`)
  yield runCheck(context, 'settings file', () => checkSettings(host))
  yield runCheck(context, 'code cache', () => checkCache(host))
  let settings: Settings | undefined
  const profile = await runCheck(context, 'profile', async () => {
    settings = await context.settings()
    return `${settings.profile.value} (${settings.profile.from})`
  })
  yield profile
  if (!settings) return
  yield* settings.local ? checkLocal(context) : checkRemote(context, settings)
}

const proxyHint = 'check HTTPS_PROXY, and its user name and password if the proxy requires them'

const responseChecks = ['clock', 'key accepted', 'workspace'] as const

async function* checkRemote(context: Context, settings: Settings): AsyncGenerator<Finding> {
  const { host } = context
  let url: URL | undefined
  const service = await runCheck(context, 'base url', () => {
    url = new URL(requireBaseUrl(settings))
    return `${url.href} (${settings.baseUrl?.from})`
  })
  yield service
  if (!url) return
  // Longer than the key command's own timeout of ten seconds.
  const key = await runCheck(context, 'key', () => checkKey(context, settings), { timeoutMs: 12_000 })
  yield key
  const { protocol, hostname } = url
  const origin = url
  let target: ConnectionTarget | undefined
  yield runCheck(context, 'proxy', () => {
    const proxy = isLoopback(hostname) ? undefined : selectProxy(origin.origin, host.env)
    target = { service: origin, proxy }
    return proxy ? proxy.name : 'none'
  })
  const steps = {
    dns: (to: ConnectionTarget) => runCheck(context, 'dns', () => checkNames(to)),
    tcp: (to: ConnectionTarget) =>
      runCheck(context, 'tcp', (signal) => checkConnection(to, signal, host.monotonic)),
    tls: (to: ConnectionTarget) =>
      runCheck(context, 'tls', (signal) => checkTls(to, signal, host.now()), to.proxy && { hint: proxyHint }),
  }
  let broken = target ? undefined : 'the proxy is wrong'
  for (const step of ['dns', 'tcp', 'tls'] as const) {
    if (step === 'tls' && protocol === 'http:') continue
    if (!target || broken !== undefined) {
      yield skipCheck(step, broken ?? '')
      continue
    }
    const finding = await steps[step](target)
    yield finding
    if (finding.status === 'failed') broken = `${step} failed`
  }
  if (key.status === 'failed') broken ??= 'key failed'
  if (broken === undefined) yield* await checkService(context)
  else for (const check of responseChecks) yield skipCheck(check, broken)
}

const minNodeVersion = [20, 18] as const

function checkNode({ nodeVersion }: Host): CheckResult {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  const [min, leastMinor] = minNodeVersion
  if (major > min || (major === min && minor >= leastMinor)) return nodeVersion
  return { problem: `${nodeVersion} is too old`, hint: `install Node ${minNodeVersion.join('.')} or newer` }
}

/** Checks that other users have no access to the settings file, which holds keys. */
async function checkSettings(host: Host): Promise<CheckResult> {
  const { uid, platform } = host
  const dir = await findOptionalConfigDir(host)
  if (dir === undefined)
    return {
      details: 'none, because this account has no home directory',
      hint: 'MEETROOM_CONFIG_DIR chooses another directory',
    }
  const file = configFilePath(dir)
  const found = await stat(file).catch(() => undefined)
  readConfig(dir, uid)
  if (!found) return `${file} does not exist; the file is optional`
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0')
  // File modes have no meaning on Windows, and the output of icacls is localized.
  if (platform === 'win32') return `${file} (icacls "${file}" shows who may read it)`
  if ((found.mode & 0o077) === 0) return `${file} (mode ${mode})`
  return {
    problem: `other accounts of this machine have access to ${file} (mode ${mode})`,
    hint: `run: chmod 600 ${quoteForShell(file)}`,
  }
}

/** Runs the key command, because a failing command would otherwise look like a failure of the service. */
async function checkKey(context: Context, settings: Settings): Promise<CheckResult> {
  const from = `from ${(settings.keyCommand ?? settings.apiKey)?.from}`
  const key = await context.key()
  if (settings.keyCommand) return `${from}, printed by a command`
  if (key.length >= minKeyLength) return from
  return { problem: `${from}, but too short to be masked in output`, hint: 'check that the key is complete' }
}

/** Checks the code cache. bin/meetroom.js ignores a cache that other users can write to. */
async function checkCache({ env, platform, uid }: Host): Promise<CheckResult> {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = env
  const home = HOME && join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache')
  const base = XDG_CACHE_HOME || (platform === 'win32' ? LOCALAPPDATA : home)
  const folder = base && join(base, 'meetroom')
  const found = folder && (await lstat(folder).catch(() => undefined))
  if (!found)
    return folder
      ? `${folder} does not exist yet`
      : `none, because ${platform === 'win32' ? 'LOCALAPPDATA' : 'HOME'} is not set; commands start slower`
  const isOurs = uid === undefined || ([uid, 0].includes(found.uid) && (found.mode & 0o022) === 0)
  if (found.isDirectory() && isOurs) return folder
  return {
    problem: `${folder} is not a directory that only you can write to: commands start slower`,
    hint: 'delete this path; the next command creates the directory',
  }
}
