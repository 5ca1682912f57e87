import { adviseOnVariable } from '../../../config/key.ts'
import { maxTimeoutMs } from '../../../config/values.ts'
import { AuthError, InterruptedError, MeetroomError, suggest, UsageError } from '../../../errors.ts'
import { createDurationParser } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { findDataDir } from '../../requests/find-service.ts'
import { formatFingerprint } from '../../requests/fingerprint.ts'

interface StatusFlags {
  githubMask?: boolean
  /** Maximum time to wait for the service, in milliseconds. */
  wait?: number
}

export function defineAuthStatus(auth: MeetroomCommand): void {
  const status = auth
    .command('status')
    .summary('Show the source of the key, and check the key')
    .description(
      'Show the profile, the service and the source of the key, and check the key. Never shows the key itself.',
    )
    .option('--github-mask', 'in GitHub Actions, mask the key in the log of the runner')
    .option(
      '--wait <duration>',
      'maximum time to wait for a response of the service; a refused key ends the wait',
      createDurationParser('--wait', { most: maxTimeoutMs }),
    )
    .act('machine', async (context, flags: StatusFlags) => {
      if (flags.githubMask) await maskInLog(context)
      await showStatus(context, flags)
    })
  status.isForEachProfile = true
  status.addExamples(
    'meetroom auth status',
    'meetroom auth status --profile staging --json',
    'meetroom auth status --all-profiles',
    'meetroom auth status --wait 30s',
  )
}

/** Prints the key, so that the runner of GitHub Actions masks the key in the log. */
async function maskInLog(context: Context): Promise<void> {
  const { env, stderr } = context.host
  if (env['GITHUB_ACTIONS'] !== 'true' || stderr.isTTY)
    throw new UsageError('--github-mask cannot be used outside GitHub Actions, because it prints the key')
  const key = await context.key()
  // The runner decodes percent-encoded characters.
  const encoded = key.replaceAll('%', '%25')
  await stderr.write(`::add-mask::${encoded}\n`)
}

async function showStatus(context: Context, { wait }: StatusFlags): Promise<void> {
  const settings = await context.settings()
  const { profile, local, baseUrl, apiKey, keyCommand, apiKeyStoredAt } = settings
  const printer = await context.printer()
  let failure: MeetroomError | undefined
  let key: string | undefined
  try {
    if (!local && baseUrl) key = await context.key()
    if (wait === undefined) await (await context.client()).call('listRooms', { query: { limit: 1 } })
    else await (await import('../rooms/wait/service.ts')).waitForService(context, wait)
  } catch (error) {
    if (!(error instanceof MeetroomError) || error instanceof InterruptedError) throw error
    const refused = error instanceof AuthError && error.status !== undefined
    failure = refused
      ? new AuthError('the service refuses the key', {
          status: error.status,
          request: error.request,
          hint: adviseOnVariable(settings) ?? ['log in again with: ', suggest(['auth', 'login'])],
        })
      : error
  }
  const status: Printed['auth status'] = {
    profile: profile.value,
    profile_from: context.flags.allProfiles ? '--all-profiles' : profile.from,
    base_url: local ? null : (baseUrl?.value ?? null),
    base_url_from: baseUrl?.from ?? null,
    workspace: local ? await findDataDir(context.host) : null,
    key_from: local ? 'workspace' : keyCommand ? `command of ${keyCommand.from}` : (apiKey?.from ?? null),
    key_fingerprint: key === undefined ? null : (formatFingerprint(key) ?? null),
    key_stored_at: apiKeyStoredAt ?? null,
    works: failure === undefined,
  }
  await printer.printFacts(status, ['base_url', 'key_from', 'key_fingerprint', 'key_stored_at', 'works'])
  if (failure) throw failure
}
