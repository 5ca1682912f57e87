import { defaultProfile, localProfile } from '../../../config/selection.ts'
import { findProfile } from '../../../config/stored-file.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { omitFields } from '../../output/views/define-row.ts'
import { createPage } from '../../output/views/page.ts'
import { type RowOf, rowKinds } from '../../output/views/rows.ts'

export function defineProfileList(profiles: MeetroomCommand): void {
  const list = profiles
    .command('list')
    .summary('List the profiles')
    .description(
      'List the profiles. A profile is a base URL with its key and settings; “local” is the local workspace.',
    )
    .act('machine', (context) => listProfiles(context))
  list.alias('ls')
  list.addExamples('meetroom profiles list')
}

async function listProfiles(context: Context): Promise<void> {
  context.expectNewProfile()
  const config = await context.storedConfig()
  const printer = await context.printer()
  const stored = Object.entries({
    ...config.profiles,
    [localProfile]: findProfile(config, localProfile) ?? {},
  })
  const items = stored.map(
    ([name, profile]): RowOf<'profiles'> => ({
      name,
      in_use: (config.profile ?? defaultProfile) === name,
      base_url: profile.base_url ?? null,
      has_key: profile.api_key !== undefined || profile.key_command !== undefined,
      protected: profile.protected === true,
      ...(profile.key_command === undefined ? {} : { key_from: 'command' }),
    }),
  )
  const shown = omitFields(rowKinds.profiles, items.some((item) => 'key_from' in item) ? [] : ['key_from'])
  printer.check(shown)
  await printer.list(shown, 'profiles', createPage({ items }))
}
