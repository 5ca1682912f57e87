import { existsSync } from 'node:fs'
import { createFlagConflict } from '../../api/flag-conflict.ts'
import { localProfile } from '../../config/selection.ts'
import type { Settings } from '../../config/settings.ts'
import type { StoredConfig } from '../../config/stored-file.ts'
import { InterruptedError, MeetroomError, suggest, UsageError } from '../../errors.ts'
import type { PrintOptions } from '../output/formats/list-writer.ts'
import { MultiProfileWriter } from '../output/multi-profile-writer.ts'
import type { Printer } from '../output/printer.ts'
import { RequestPreview } from '../requests/before-send.ts'
import { findOptionalDataDir } from '../requests/find-service.ts'
import { Context } from './context.ts'

/**
 * Runs a command for each profile with a service.
 * @throws {MeetroomError} if the run cannot start, or fails for a profile
 */
export async function runOnAllProfiles(
  base: Context,
  args: readonly unknown[],
  run: (context: Context) => Promise<void>,
): Promise<void> {
  const { flags, interrupt } = base
  refuseConflicts(base, args)
  const config = await base.storedConfig()
  const names = await listProfiles(base, config)
  // The response of one service may contain the key of another service.
  for (const { api_key } of Object.values(config.profiles ?? {})) base.addSecret(api_key)
  const results = new MultiProfileWriter(names.length, base)
  const contexts = names.map((name) => new ProfileContext(base, name, results))
  if (!flags.curl) for (const context of contexts) await context.readKey()
  for (const context of contexts) {
    interrupt.throwIfAborted()
    try {
      await context.run(run)
      await results.report()
    } catch (error) {
      if (error instanceof RequestPreview) continue
      if (!(error instanceof MeetroomError) || error instanceof InterruptedError || interrupt.aborted)
        throw error
      await results.fail({ profile: context.name, error })
    } finally {
      await context.close()
    }
  }
  await results.end()
}

function refuseConflicts({ flags, host }: Context, args: readonly unknown[]): void {
  const given = {
    '--profile': flags.profile,
    '--local': flags.local,
    '--base-url': flags.baseUrl,
    MEETROOM_API_KEY: host.env['MEETROOM_API_KEY'],
    MEETROOM_BASE_URL: host.env['MEETROOM_BASE_URL'],
  }
  const [other] = Object.entries(given).find(([, value]) => value) ?? []
  if (other !== undefined)
    throw createFlagConflict('--all-profiles', other, {
      hint: other.startsWith('-') ? `omit ${other}` : `unset ${other}`,
    })
  if (args.flat().includes('-'))
    throw createFlagConflict('--all-profiles', '“-”', { because: 'IDs belong to one service' })
  if (Object.hasOwn(Object(args.at(-1)), 'html'))
    throw createFlagConflict('--all-profiles', '--html', { because: 'each profile would overwrite the file' })
}

async function listProfiles({ host }: Context, { profiles = {} }: StoredConfig): Promise<string[]> {
  const { getDatabasePath } = await import('../../embedded/database-path.ts')
  const stored = Object.keys(profiles).filter((name) => name !== localProfile && profiles[name]?.base_url)
  const dir = await findOptionalDataDir(host)
  const hasLocal = dir !== undefined && existsSync(getDatabasePath(dir))
  const names = hasLocal ? [...stored, localProfile] : stored
  if (names.length === 0)
    throw new UsageError('no profile has a service, and there is no local workspace', {
      hint: ['log in with: ', suggest(['auth', 'login'])],
    })
  return names
}

class ProfileContext extends Context {
  readonly #results: MultiProfileWriter

  constructor(
    base: Context,
    readonly name: string,
    results: MultiProfileWriter,
  ) {
    super(base.setupWith({ ...base.flags, profile: name }))
    this.#results = results
  }

  /** Runs the key command of the profile, if any. A failure is reported later, when the profile is used. */
  async readKey(): Promise<void> {
    try {
      if ((await this.settings()).keyCommand) await this.key()
    } catch (error) {
      if (error instanceof InterruptedError || !(error instanceof MeetroomError)) throw error
    }
  }

  /** Resolves the settings without the output format of the profile, because all results form one list. */
  override async settings(): Promise<Settings> {
    const settings = await super.settings()
    const { from } = settings.output
    return from.startsWith('profile ')
      ? { ...settings, output: { value: 'table', from: 'default' } }
      : settings
  }

  protected override makePrinter(options: PrintOptions): Printer {
    return this.#results.printerFor(this.name, options, this.statusLine)
  }

  override reportError(error: MeetroomError): Promise<void> {
    return super.reportError(error, this.name)
  }
}
