import { basename } from 'node:path'
import { Option } from 'commander'
import { describeSurplus } from '../../../api/key-surplus.ts'
import { plural } from '../../../api/plural.ts'
import { isSameService } from '../../../config/same-service.ts'
import { defaultProfile, localProfile } from '../../../config/selection.ts'
import { minKeyLength } from '../../../config/settings.ts'
import { findProfile, type Profile, type StoredConfig } from '../../../config/stored-file.ts'
import { isClear, parseBaseUrl } from '../../../config/values.ts'
import { requireKeyLength, withKey, withProfile } from '../../../config/writer.ts'
import {
  AuthError,
  type Hint,
  MeetroomError,
  suggest,
  UsageError,
  WrongBaseUrlError,
} from '../../../errors.ts'
import type { Visible } from '../../../host.ts'
import { readStdinText } from '../../input/input.ts'
import { findNearUrl } from '../../input/near-url.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { checkProfileName, requireSameService, selectProfile } from '../../kernel/profile.ts'
import { explainKeyAsArgument } from '../../mistakes/key-as-argument.ts'
import { own, visible } from '../../output/terminal/visible.ts'
import { explainNotInteractive, isInteractive } from '../../requests/confirm.ts'
import { openClientAt } from '../../requests/find-service.ts'
import { formatFingerprint } from '../../requests/fingerprint.ts'

interface LoginFlags {
  withKey?: boolean
  keyCommand?: string
  replace?: boolean
}

export function defineLogin(auth: MeetroomCommand): void {
  const login = auth
    .command('login')
    .summary('Store an API key')
    .description(
      'Store an API key for a service. Prompts for the base URL and the key (hidden input), verifies both, and stores them in a file that only you can read.',
    )
    .argument('[base-url]', 'base URL of the service, like --base-url', readUrlArgument)
    .addOption(
      new Option('--with-token, --with-key', 'read the key from standard input').conflicts('keyCommand'),
    )
    .option('--key-command <command>', "store a command that prints the key, as in 'pass show meet'")
    .option('--replace', 'change the service of an existing profile, and delete its key')
    .act('machine', async (context, url: string | undefined, flags: LoginFlags) => {
      if (url === undefined) return logIn(context, flags)
      if (context.flags.baseUrl !== undefined)
        throw new UsageError('the base URL is given twice, as an argument and with --base-url')
      // Checked before the argument becomes --base-url, which a hint would repeat.
      readBaseUrl(url)
      await context.withFlags({ ...context.flags, baseUrl: url }).run((own) => logIn(own, flags))
    })
  login.addExamples(
    'meetroom auth login',
    'meetroom auth login https://meet.example.com/v1',
    'meetroom auth login --profile staging --base-url https://staging.example.com/v1 --with-key < key.txt',
    "meetroom auth login --base-url https://meet.example.com/v1 --key-command 'op read op://work/meet/key'",
  )
}

async function logIn(context: Context, flags: LoginFlags): Promise<void> {
  const { host } = context
  context.expectNewProfile()
  const stored = await context.storedConfig()
  const profile = selectProfileName(context, stored, flags)
  const before = findProfile(stored, profile) ?? {}
  // With --with-key, standard input holds the key and cannot answer prompts.
  const asks = !flags.withKey && isInteractive(host)
  const given = await selectBaseUrl(context, flags, before, asks)
  const { origin } = new URL(given)
  const replacement =
    flags.keyCommand === undefined
      ? suggestLogin({ ...flags, replace: true }, '--profile', profile, '--base-url', given)
      : 'add --replace'
  const mayReplace = flags.replace ?? false
  requireSameService(profile, before, [given, `${given}/v1`], mayReplace, replacement)
  const key = await readNewKey(context, flags, { profile, origin, before })

  const baseUrl = await verifyKey(context, given, key)
  requireSameService(profile, before, [baseUrl], mayReplace, replacement)
  const { keyCommand } = flags
  const now = host.now()
  const secret = keyCommand === undefined ? { value: key } : { command: keyCommand }
  await context.changeConfig((config) => ({
    ...withProfile(config, profile, withKey(findProfile(config, profile), baseUrl, secret, now)),
    profile: config.profile ?? profile,
  }))
  await context.notice(`logged in to ${origin} as profile ${profile}`)
  const fingerprint = formatFingerprint(key)
  const storedAt = keyCommand === undefined ? `, stored ${new Date(now).toISOString()}` : ''
  if (fingerprint) await context.notice(`key fingerprint ${fingerprint}${storedAt}`)
  const holders = Object.entries(stored.profiles ?? {}).flatMap(([name, { api_key }]) =>
    name !== profile && api_key !== undefined && api_key === before.api_key && api_key !== key ? [name] : [],
  )
  if (holders.length > 0)
    await context.notice(
      `the replaced key is also stored in ${plural(holders.length, 'profile')} ${holders.join(', ')}`,
    )
  if (stored.profile === localProfile)
    await context.notice([
      `profile ${stored.profile} stays in use; to switch: `,
      suggest(['profiles', 'use', profile]),
    ])
  if (host.env['MEETROOM_API_KEY'])
    await context.notice('MEETROOM_API_KEY in the environment takes precedence over the stored key')
  if (asks) await printNextSteps(context, profile)
}

function selectProfileName(context: Context, stored: StoredConfig, { replace }: LoginFlags): string {
  const inUse = stored.profile === localProfile ? { ...stored, profile: defaultProfile } : stored
  const { value: selected, from } = selectProfile(context, inUse)
  const { baseUrl } = context.flags
  const mayDiffer = baseUrl !== undefined && from === 'settings file' && !replace
  // A key for another service than that of the profile in use belongs to the profile of that service.
  const [ofService] =
    Object.entries(stored.profiles ?? {}).find(
      ([, { base_url }]) => mayDiffer && base_url && isSameService(base_url, baseUrl),
    ) ?? []
  const profile = ofService ?? selected
  if (profile === localProfile)
    throw new UsageError('the local workspace needs no key', {
      hint: ['list its rooms with: ', suggest(['rooms', 'list', '--local'])],
    })
  checkProfileName(profile)
  return profile
}

/** Omits a key command, because the command may contain a key. */
function suggestLogin({ withKey, replace }: LoginFlags, ...words: readonly string[]): Hint {
  const flags = [...(withKey ? ['--with-key'] : []), ...(replace ? ['--replace'] : [])]
  const line = suggest(['auth', 'login', ...words, ...flags])
  return withKey ? [line, ' < key.txt'] : line
}

/** @param asks true if prompts are possible */
async function selectBaseUrl(
  context: Context,
  login: LoginFlags,
  { base_url }: Profile,
  asks: boolean,
): Promise<string> {
  const { host, flags } = context
  const named = flags.baseUrl ?? (host.env['MEETROOM_BASE_URL'] || undefined)
  if (named !== undefined) return readBaseUrl(named)
  if (asks) {
    const { askLine } = await import('../../requests/ask.ts')
    return askLine(context, own`Base URL of the service:`, readBaseUrl, {
      preset: base_url ? visible(base_url) : undefined,
      hide: explainHiddenPrompt,
    })
  }
  if (base_url) return readBaseUrl(base_url)
  throw new UsageError('no base URL to log in to', {
    hint: ['pass the base URL: ', suggestLogin(login, '--base-url', 'https://meet.example.com/v1')],
  })
}

/** Pattern of hosts that no key matches: a key has long parts or capital letters. */
const plainHost = /^(localhost|\d+(\.\d+){3}|([a-z\d-]{1,20}\.){1,4}[a-z]{2,10})(:\d+)?(\/[a-z\d/.]*)?$/

/** Refuses an argument other than a URL, without repeating a text that may be a key. */
function readUrlArgument(text: string): string {
  if (/^https?:/i.test(text)) return text
  const url = plainHost.test(text) ? findNearUrl(text) : undefined
  if (url !== undefined)
    throw new UsageError(`a base URL begins with https:// or http://, not “${text}”`, {
      correction: [text, url],
    })
  if (text.length >= minKeyLength) throw explainKeyAsArgument()
  throw new UsageError('auth login takes a base URL as its argument', {
    hint: ['name a profile with: ', suggest(['auth', 'login', '--profile', text])],
  })
}

/** Hides input other than a URL, because a user may paste the key by mistake. */
function explainHiddenPrompt(line: string): Visible | undefined {
  const typed = line.trimStart().toLowerCase()
  const isUrl = ['https://', 'http://'].some((start) => start.startsWith(typed) || typed.startsWith(start))
  return isUrl ? undefined : own`[hidden: it does not begin with https://]`
}

/** @throws {UsageError} for an invalid base URL, or plain http to another machine */
function readBaseUrl(text: string): string {
  const baseUrl = parseBaseUrl(text)
  const url = new URL(baseUrl)
  if (!isClear(url)) return baseUrl
  throw new UsageError(`plain http would send the key unencrypted to ${url.origin}`, {
    correction: [text, text.trim().replace(/^http:/i, 'https:')],
  })
}

async function readNewKey(
  context: Context,
  flags: LoginFlags,
  { profile, origin, before }: { profile: string; origin: string; before: Profile },
): Promise<string> {
  const { withKey, keyCommand } = flags
  // The profile of the service may not be the profile in use.
  const named = before.base_url === undefined ? [] : ['--profile', profile]
  const fromFile = [
    'write only the key to the file key.txt, then run: ',
    suggestLogin({ ...flags, withKey: true }, ...named),
  ]
  if (keyCommand !== undefined) {
    const { runKeyCommand } = await import('../../requests/key-command.ts')
    return checkKey(await runKeyCommand(keyCommand, '--key-command', context), 'the key command')
  }
  if (withKey) return checkKey(await readStdinText(context.host), 'standard input', fromFile)
  const why = explainNotInteractive(context.host)
  if (why !== undefined) throw new UsageError(`logging in needs a key, and ${why}`, { hint: fromFile })
  const { askSecret } = await import('../../requests/ask.ts')
  const { api_key, api_key_origin } = before
  const replaced = api_key && api_key_origin === origin ? ' (replaces the stored one)' : ''
  return checkKey(await askSecret(context, visible(`API key for ${origin}${replaced}:`)), 'the input')
}

/**
 * Omits the text from errors, because the text may contain the key.
 * @throws {UsageError | AuthError} for a text that cannot be a complete key
 */
function checkKey(text: string, source: string, hint?: Hint): string {
  const key = text.trim()
  const surplus = describeSurplus(key)
  if (surplus !== undefined)
    throw new AuthError(`${source} must contain only the key, but contains ${surplus}`, { hint })
  if (key === '') throw new UsageError('the key is empty')
  requireKeyLength(key)
  return key
}

async function printNextSteps(context: Context, profile: string): Promise<void> {
  const { SHELL = '' } = context.host.env
  const shell = ['bash', 'zsh', 'fish'].find((name) => name === basename(SHELL))
  const lines = [
    ['auth', 'status', '--profile', profile],
    ['rooms', 'list', '--profile', profile],
  ]
  await context.notice('next steps:')
  for (const words of shell ? [...lines, ['completion', shell]] : lines)
    await context.notice(['  ', suggest(words)])
}

/**
 * @returns the given base URL, or the same with `/v1`
 * @throws {MeetroomError} if no base URL accepts the key
 */
async function verifyKey(context: Context, given: string, key: string): Promise<string> {
  let first: MeetroomError | undefined
  for (const baseUrl of given.endsWith('/v1') ? [given] : [given, `${given}/v1`]) {
    const client = await openClientAt(context, baseUrl, key)
    try {
      await client.call('listRooms', { query: { limit: 1 } })
      if (baseUrl !== given) await context.notice(`the service is at ${baseUrl}; this base URL is stored`)
      return baseUrl
    } catch (error) {
      if (!(error instanceof MeetroomError) || error.status === undefined) throw error
      first ??= refusedKey(error, given)
      // The hint must not name the URL with the version, because that URL also failed.
      if (first instanceof WrongBaseUrlError && !/\/v\d+$/.test(given))
        first = new WrongBaseUrlError(first.message, {
          ...{ status: first.status, request: first.request, body: first.body },
          hint: 'a base URL ends in the version, as in https://meet.example.com/v1',
        })
      // Other programs also refuse keys, so only the refusal of a Meeting Room Service is final.
      if (error instanceof AuthError && (await client.isService())) throw refusedKey(error, given)
    }
  }
  throw first
}

function refusedKey(error: MeetroomError, baseUrl: string): MeetroomError {
  if (!(error instanceof AuthError)) return error
  const { status, request } = error
  return new AuthError(`${new URL(baseUrl).origin} refuses this key; nothing was stored`, { status, request })
}
