import { omitUndefined } from '../../../api/defined.ts'
import { isLoopback } from '../../../api/loopback.ts'
import type { Settings } from '../../../config/settings.ts'
import type { Context } from '../../kernel/context.ts'
import { findConfigDir } from '../../requests/command-settings.ts'
import { requireBaseUrl } from '../../requests/find-service.ts'
import { type Finding, runCheck, skipCheck } from './finding.ts'
import { checkLocal } from './local.ts'
import { checkCache, checkKey, checkNode, checkSettings, checkVersion } from './machine.ts'
import {
  type ConnectionTarget,
  checkConnection,
  checkNames,
  checkTls,
  describeProxy,
  findFirstHop,
  hintAtProxy,
} from './network.ts'
import { checkService } from './service.ts'

/** Runs all checks in order, and skips checks that depend on a failed one. */
export async function* runChecks(context: Context): AsyncGenerator<Finding> {
  const { host } = context
  yield runCheck(context, 'node', () => checkNode(host))
  yield runCheck(context, 'version', checkVersion)
  yield runCheck(context, 'settings file', async () => checkSettings(await findConfigDir(context.host), host))
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
  // The key command has its own timeout of ten seconds.
  const key = await runCheck(context, 'key', () => checkKey(context, settings), { timeoutMs: 12_000 })
  yield key
  const { protocol, hostname } = url
  const origin = url
  let target: ConnectionTarget | undefined
  yield runCheck(context, 'proxy', () => {
    target = findFirstHop(origin, host.env, isLoopback(hostname))
    return describeProxy(target)
  })
  const steps = {
    dns: (to: ConnectionTarget) => runCheck(context, 'dns', () => checkNames(to)),
    tcp: (to: ConnectionTarget) =>
      runCheck(context, 'tcp', (signal) => checkConnection(to, signal, host.monotonic)),
    tls: (to: ConnectionTarget) =>
      runCheck(
        context,
        'tls',
        (signal) => checkTls(to, signal, host.now()),
        omitUndefined({ hint: hintAtProxy(to) }),
      ),
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
