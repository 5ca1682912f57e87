import { Option } from 'commander'
import { defaultProfile, findProfile, localProfile, shortestKey } from '../../config.ts'
import { withoutKey, withProfile } from '../../config-store.ts'
import { isClear, longestWaitMs, parseBaseUrl } from '../../config-values.ts'
import { AuthError, InterruptedError, MeetroomError, UsageError } from '../../errors.ts'
import { askSecret, canAsk } from '../confirm.ts'
import type { Act, Context } from '../context.ts'
import { examples } from '../flags.ts'
import { duration, readAll } from '../input.ts'
import type { MeetroomCommand } from '../meetroom-command.ts'

import { checkProfileName, namedProfile, storedProfile } from '../profile.ts'
import { dataDir } from '../service.ts'

export function defineAuth(auth: MeetroomCommand, act: Act): void {
  const login = auth
    .command('login')
    .summary('Store an API key')
    .description(
      'Store an API key for a service. You are prompted for the key (hidden input); it is verified before it is stored.',
    )
    .addOption(new Option('--with-token', 'read the key from standard input').conflicts('keyCommand'))
    .option('--key-command <command>', "store a command that prints the key instead, as in 'pass show meet'")
    .action(act('machine', (context, flags: LoginFlags) => logIn(context, flags)))
  examples(
    login,
    'meetroom auth login --base-url https://meet.example.com/v1',
    'meetroom auth login --profile staging --base-url https://staging.example.com/v1 --with-token < key.txt',
    "meetroom auth login --base-url https://meet.example.com/v1 --key-command 'op read op://work/meet/key'",
  )

  const logout = auth
    .command('logout')
    .summary('Forget the stored API key')
    .description('Forget the API key of the profile; its other settings stay.')
    .action(act('machine', (context) => logOut(context)))
  examples(logout, 'meetroom auth logout --profile staging')

  const status = auth
    .command('status')
    .summary('Show which key is used and whether it works')
    .description(
      'Show which profile, service and key are used, and whether the key works. Never shows the key itself.',
    )
    .option('--github-mask', 'in GitHub Actions, have the runner mask the key in its log')
    .option(
      '--wait <duration>',
      'wait up to so long until the service answers; a key that it refuses ends the wait',
      duration('--wait', { most: longestWaitMs }),
    )
    .action(
      act('machine', async (context, flags: StatusFlags) => {
        if (flags.githubMask) await maskInLog(context)
        await showStatus(context, flags)
      }),
    )
  examples(
    status,
    'meetroom auth status',
    'meetroom auth status --profile staging --json',
    'meetroom auth status --wait 30s',
  )
}

interface StatusFlags {
  githubMask?: boolean
  /** In milliseconds. */
  wait?: number
}

interface LoginFlags {
  withToken?: boolean
  keyCommand?: string
}

async function logIn(context: Context, { withToken = false, keyCommand }: LoginFlags): Promise<void> {
  const { host, flags } = context
  context.expectNewProfile()
  const stored = await context.storedConfig()
  const inUse = stored.profile === localProfile ? { ...stored, profile: defaultProfile } : stored
  const { value: profile } = namedProfile(context, inUse)
  if (profile === localProfile) throw new UsageError('the local workspace needs no key; just pass --local')
  checkProfileName(profile)
  const before = findProfile(stored, profile) ?? {}
  const url = flags.baseUrl ?? (host.env['MEETROOM_BASE_URL'] || before.base_url)
  if (!url)
    throw new UsageError('no service to log in to', {
      hint: 'name it: meetroom auth login --base-url https://meet.example.com/v1',
    })
  const given = parseBaseUrl(url)
  const { origin } = new URL(given)
  if (isClear(new URL(given)))
    throw new UsageError(`over plain http the key would be sent unencrypted to ${origin}`, {
      hint: 'use an https base URL',
    })
  if (keyCommand === undefined && !withToken && !canAsk(host))
    throw new UsageError('there is no terminal to ask for the key on', {
      hint: 'pipe it in: meetroom auth login --with-token < file',
    })
  const key =
    keyCommand === undefined
      ? (withToken ? await readAll(host) : await askSecret(context, `API key for ${origin}:`)).trim()
      : await context.runKeyCommand(keyCommand, '--key-command')
  if (key === '') throw new UsageError('no key was given')
  if (key.length < shortestKey)
    throw new UsageError(`the key is too short: it has fewer than ${shortestKey} characters`, {
      hint: 'so short a key cannot be kept out of what is shown; was it cut off?',
    })

  const baseUrl = await verify(context, given, key)
  await context.changeConfig((config) => ({
    ...withProfile(config, profile, {
      ...withoutKey(findProfile(config, profile)),
      base_url: baseUrl,
      ...(keyCommand === undefined ? { api_key: key } : { key_command: keyCommand }),
      api_key_origin: origin,
    }),
    profile: config.profile ?? profile,
  }))
  await context.notice(`logged in to ${origin} as profile ${profile}`)
  if (stored.profile === localProfile)
    await context.notice(
      `profile ${stored.profile} stays in use; to switch: meetroom profiles use ${profile}`,
    )
  if (host.env['MEETROOM_API_KEY'])
    await context.notice('MEETROOM_API_KEY in the environment takes precedence over the stored key')
}

/**
 * Verifies a key with the cheapest request there is.
 * @returns the base URL that answered: the one given, or the same with the version that was left out
 * @throws {MeetroomError} when the key is refused, or neither is the base URL of a service
 */
async function verify(context: Context, given: string, key: string): Promise<string> {
  let first: MeetroomError | undefined
  for (const baseUrl of given.endsWith('/v1') ? [given] : [given, `${given}/v1`]) {
    const client = await context.clientFor(baseUrl, key)
    try {
      await client.call('listRooms', { query: { limit: 1 } })
      if (baseUrl !== given)
        await context.notice(`the service is at ${baseUrl}; that is stored as the base URL`)
      return baseUrl
    } catch (error) {
      if (!(error instanceof MeetroomError) || error.status === undefined) throw error
      first ??= refusedKey(error, given)
      if (await client.isService()) throw refusedKey(error, given)
    }
  }
  throw first
}

function refusedKey(error: MeetroomError, baseUrl: string): MeetroomError {
  if (!(error instanceof AuthError)) return error
  const { status, request } = error
  return new AuthError(`${new URL(baseUrl).origin} refuses this key; nothing was stored`, { status, request })
}

async function logOut(context: Context): Promise<void> {
  context.expectNewProfile()
  const stored = await context.storedConfig()
  const { value: name } = storedProfile(context, stored)
  if (name === localProfile) throw new UsageError('the local workspace has no key to forget')
  const { api_key, key_command } = findProfile(stored, name) ?? {}
  if (!api_key && !key_command) return context.notice(`profile ${name} has no key; nothing to forget`)
  await context.changeConfig((config) => withProfile(config, name, withoutKey(findProfile(config, name))))
  await context.notice(`forgot the key of profile ${name}`)
  if (context.host.env['MEETROOM_API_KEY'])
    await context.notice('MEETROOM_API_KEY is still set in the environment')
}

/** The one place that prints a key: the runner reads it, and takes it out of all that follows. */
async function maskInLog(context: Context): Promise<void> {
  const { env, stderr } = context.host
  if (env['GITHUB_ACTIONS'] !== 'true' || stderr.isTTY)
    throw new UsageError('--github-mask prints the key for the runner of GitHub Actions, and this is none')
  const key = await context.key()
  // The runner decodes these.
  const encoded = key.replaceAll('%', '%25')
  await stderr.write(`::add-mask::${encoded}\n`)
}

async function showStatus(context: Context, { wait }: StatusFlags): Promise<void> {
  const settings = await context.settings()
  const { profile, local, baseUrl, apiKey, keyCommand } = settings
  const printer = await context.printer()
  let failure: MeetroomError | undefined
  try {
    if (!local && baseUrl) await context.key()
    if (wait === undefined) await (await context.client()).call('listRooms', { query: { limit: 1 } })
    else await (await import('../waiting/service.ts')).waitForService(context, wait)
  } catch (error) {
    if (!(error instanceof MeetroomError) || error instanceof InterruptedError) throw error
    const refused = error instanceof AuthError && error.status !== undefined
    failure = refused
      ? new AuthError('the service refuses the key', {
          status: error.status,
          request: error.request,
          hint: 'log in again with: meetroom auth login',
        })
      : error
  }
  const status = {
    profile: profile.value,
    profile_from: profile.from,
    base_url: local ? null : (baseUrl?.value ?? null),
    base_url_from: baseUrl?.from ?? null,
    workspace: local ? await dataDir(context.host) : null,
    key_from: local ? 'workspace' : keyCommand ? `command of ${keyCommand.from}` : (apiKey?.from ?? null),
    works: failure === undefined,
  }
  await printer.facts(status)
  if (failure) throw failure
}
