import { defaultProfile, localProfile } from '../../../config/settings.ts'
import { findProfile } from '../../../config/stored-file.ts'
import { withoutProfile, withProfile } from '../../../config/writer.ts'
import { NotFoundError, suggestElsewhere, UsageError } from '../../../errors.ts'
import type { DefineAction } from '../../kernel/action.ts'
import type { Context } from '../../kernel/context.ts'
import { alias, examples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { onePage } from '../../output/views/page.ts'
import type { View } from '../../output/views/views.ts'
import { confirm } from '../../requests/confirm.ts'

const view: View = {
  noun: ['profile', 'profiles'],
  id: 'name',
  columns: [
    { field: 'name', weight: 9 },
    { field: 'in_use', weight: 8, value: ({ in_use }) => in_use },
    { field: 'base_url', weight: 7 },
    { field: 'has_key', weight: 6 },
    { field: 'protected', weight: 5 },
  ],
  fields: ['name', 'in_use', 'base_url', 'has_key', 'protected'],
}

/** The same where a command gives a key. */
const withCommands: View = {
  ...view,
  columns: [...view.columns, { field: 'key_from', weight: 4 }],
  fields: [...view.fields, 'key_from'],
}

export function defineProfiles(profiles: MeetroomCommand, act: DefineAction): void {
  const list = profiles
    .command('list')
    .summary('List the profiles')
    .description(
      'List the profiles. Each one holds a service, its key and its settings; “local” is the local workspace.',
    )
    .action(act('machine', (context) => listProfiles(context)))
  alias(list, 'ls')
  examples(list, 'meetroom profiles list')

  const use = profiles
    .command('use')
    .summary('Switch to a profile')
    .description('Use this profile in every command that names no other.')
    .argument('<profile>', 'name of the profile')
    .action(
      act('machine', async (context, name: string) => {
        context.config.expectNewProfile()
        await requireProfile(context, name)
        await context.config.change((config) => ({
          ...config,
          profile: name,
        }))
        await context.notice(`using profile ${name}`)
      }),
    )
  examples(use, 'meetroom profiles use staging', 'meetroom profiles use local')

  for (const [verb, isProtected] of [
    ['protect', true],
    ['unprotect', false],
  ] as const) {
    const command = profiles
      .command(verb)
      .summary(
        isProtected
          ? 'Protect a profile against changes by mistake'
          : 'Allow changes through a profile again',
      )
      .description(
        isProtected
          ? 'Protect a profile, “local” too: every command that changes something through it, or at its service under another name, needs --allow-write. To join a room is a change.'
          : 'Remove the protection of a profile: commands that change something no longer need --allow-write.',
      )
      .argument('<profile>', 'name of the profile')
      .action(act('machine', (context, name: string) => setProtected(context, name, isProtected)))
    examples(command, `meetroom profiles ${verb} production`)
  }

  const remove = profiles
    .command('remove')
    .summary('Forget a profile')
    .description('Forget a profile with its key and settings.')
    .argument('<profile>', 'name of the profile')
    .action(
      act('machine', async (context, name: string) => {
        context.config.expectNewProfile()
        if (name === localProfile) throw new UsageError('the profile “local” is built in')
        await requireProfile(context, name)
        await confirm(context, {
          doing: 'removing a profile',
          describe: async () => `Forget profile ${name} and its key`,
        })
        await context.config.change((config) => withoutProfile(config, name))
        await context.notice(`forgot profile ${name}`)
      }),
    )
  alias(remove, 'rm')
  examples(remove, 'meetroom profiles remove staging')
}

async function listProfiles(context: Context): Promise<void> {
  context.config.expectNewProfile()
  const config = await context.config.stored()
  const printer = await context.printer()
  const stored = Object.entries({
    ...config.profiles,
    [localProfile]: findProfile(config, localProfile) ?? {},
  })
  const items = stored.map(([name, profile]) => ({
    name,
    in_use: (config.profile ?? defaultProfile) === name,
    base_url: profile.base_url ?? null,
    has_key: profile.api_key !== undefined || profile.key_command !== undefined,
    protected: profile.protected === true,
    ...(profile.key_command === undefined ? {} : { key_from: 'command' }),
  }))
  const shown = items.some((item) => 'key_from' in item) ? withCommands : view
  printer.check(shown)
  await printer.list(shown, 'profiles', onePage({ items }))
}

async function setProtected(context: Context, name: string, isProtected: boolean): Promise<void> {
  context.config.expectNewProfile()
  await requireProfile(context, name)
  await context.config.change((config) => {
    const { protected: _, ...profile } = findProfile(config, name) ?? {}
    return withProfile(config, name, isProtected ? { ...profile, protected: true } : profile)
  })
  await context.notice(`profile ${name} is ${isProtected ? 'protected' : 'no longer protected'}`)
}

async function requireProfile(context: Context, name: string): Promise<void> {
  if (name === localProfile || findProfile(await context.config.stored(), name)) return
  throw new NotFoundError(`no such profile: ${name}`, {
    hint: ['list them with: ', suggestElsewhere(['profiles', 'list'])],
  })
}
