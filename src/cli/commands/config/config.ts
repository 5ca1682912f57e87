import { type SettableKey, settable } from '../../../config/settings.ts'
import { configFile, findProfile } from '../../../config/stored-file.ts'
import { withProfile } from '../../../config/writer.ts'
import { NotFoundError, suggest, suggestElsewhere, UsageError } from '../../../errors.ts'
import type { DefineAction } from '../../kernel/action.ts'
import type { Context } from '../../kernel/context.ts'
import { alias, examples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { storedProfile } from '../../kernel/profile.ts'
import { visibleLines } from '../../output/terminal/visible.ts'
import { onePage } from '../../output/views/page.ts'
import type { View } from '../../output/views/views.ts'
import { keyAsArgument } from '../../usage/key-as-argument.ts'

const keys = Object.keys(settable) as SettableKey[]

function viewFor(showOrigin: boolean): View {
  const fields = showOrigin ? ['key', 'value', 'origin'] : ['key', 'value']
  return {
    noun: ['setting', 'settings'],
    id: 'key',
    columns: fields.map((field, i) => ({ field, weight: 9 - i })),
    fields,
  }
}

export function defineConfig(config: MeetroomCommand, act: DefineAction): void {
  defineList(config, act)
  defineGet(config, act)
  defineSet(config, act)
  defineUnset(config, act)
  definePath(config, act)
}

function defineList(config: MeetroomCommand, act: DefineAction): void {
  const list = config
    .command('list')
    .summary('List the settings')
    .description('List the settings in effect, wherever they come from. The key is never shown.')
    .option('--show-origin', 'show where each value comes from')
    .action(
      act('machine', async (context, flags: { showOrigin?: boolean }) => {
        const view = viewFor(flags.showOrigin ?? false)
        const printer = await context.printer()
        printer.check(view)
        const items = (await effective(context)).map(({ key, value, origin }) =>
          flags.showOrigin ? { key, value, origin } : { key, value },
        )
        await printer.list(view, 'settings', onePage({ items }))
      }),
    )
  alias(list, 'ls')
  examples(list, 'meetroom config list --show-origin')
}

function defineGet(config: MeetroomCommand, act: DefineAction): void {
  const get = config
    .command('get')
    .summary('Print one setting')
    .description('Print the value of one setting in effect.')
    .argument('<key>', `profile, api_key (whether there is one), ${keys.join(', ')}`)
    .action(
      act('machine', async (context, name: string) => {
        const found = (await effective(context)).find(({ key }) => key === name)
        if (!found) throw unknownKey(name)
        if (found.value === null) throw new NotFoundError(`${name} is not set`)
        const printer = await context.printer()
        if (printer.printsJson) await printer.json(found)
        else await printer.data(`${found.value}\n`, visibleLines)
      }),
    )
  examples(get, 'meetroom config get base_url')
}

function defineSet(config: MeetroomCommand, act: DefineAction): void {
  const set = config
    .command('set')
    .summary('Change a setting of the profile')
    .description('Change a setting of the profile in use, or of the profile given with --profile.')
    .argument('<key>', keys.join(', '))
    .argument('<value>', 'the new value')
    .action(
      act('machine', async (context, name: string, text: string) => {
        const key = requireKey(name)
        const value = settable[key](text)
        await changeProfile(context, (profile) => ({
          ...profile,
          [key]: value,
        }))
      }),
    )
  examples(set, 'meetroom config set output json', 'meetroom config set timeout 60 --profile staging')
}

function defineUnset(config: MeetroomCommand, act: DefineAction): void {
  const unset = config
    .command('unset')
    .summary('Reset a setting to its default')
    .description('Reset a setting of the profile to its default.')
    .argument('<key>', keys.join(', '))
    .action(
      act('machine', async (context, name: string) => {
        if (name === 'api_key' || name === 'key_command')
          throw new UsageError('the key is not a setting', {
            hint: ['forget it with: ', suggest(['auth', 'logout'])],
          })
        const key = requireKey(name)
        await changeProfile(context, ({ [key]: _, ...rest }) => rest)
      }),
    )
  examples(unset, 'meetroom config unset output')
}

function definePath(config: MeetroomCommand, act: DefineAction): void {
  const path = config
    .command('path')
    .summary('Print the path of the settings file')
    .description('Print the path of the settings file, whether it exists or not.')
    .action(
      act('machine', async (context) => {
        await context.plainPrinter().data(`${configFile(await context.config.dir())}\n`, visibleLines)
      }),
    )
  examples(path, 'meetroom config path')
}

async function effective(
  context: Context,
): Promise<{ key: string; value: string | number | null; origin: string | null }[]> {
  const { profile, local, baseUrl, apiKey, keyCommand, output, timeout, retries, auditLog, saveDeleted } =
    await context.settings()
  const shownKey = local
    ? { value: 'created for the workspace', from: 'workspace' }
    : keyCommand
      ? { value: 'printed by a command', from: keyCommand.from }
      : apiKey && { value: 'set', from: apiKey.from }
  const settings = {
    profile,
    base_url: baseUrl,
    api_key: shownKey,
    output,
    timeout,
    retries,
    audit_log: auditLog,
    save_deleted: saveDeleted,
  }
  return Object.entries(settings).map(([key, setting]) => ({
    key,
    value: setting?.value ?? null,
    origin: setting?.from ?? null,
  }))
}

function unknownKey(name: string): UsageError {
  return new UsageError(`no such setting: “${name}”; settings are ${keys.join(', ')}`)
}

function requireKey(name: string): SettableKey {
  if (name === 'api_key') throw keyAsArgument()
  if (name === 'key_command')
    throw new UsageError('a key command is tried before it is stored', {
      hint: ['store it with: ', suggest(['auth', 'login', '--key-command', '…'])],
    })
  if (name === 'profile')
    throw new UsageError('the profile in use is not a setting', {
      hint: ['switch profiles with: ', suggestElsewhere(['profiles', 'use', 'NAME'])],
    })
  const key = keys.find((known) => known === name)
  if (!key) throw unknownKey(name)
  return key
}

async function changeProfile(
  context: Context,
  change: (profile: NonNullable<ReturnType<typeof findProfile>>) => object,
): Promise<void> {
  const stored = await context.config.stored()
  const { value: name } = storedProfile(context, stored)
  await context.config.change((config) => withProfile(config, name, change(findProfile(config, name) ?? {})))
}
