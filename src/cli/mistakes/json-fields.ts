import { type Hint, suggest } from '../../errors.ts'
import { findResource } from '../filter/command-fields.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { fromJq } from '../output/formats/near-query.ts'

function listKey(command: MeetroomCommand): string | undefined {
  return command.name() === 'list' ? findResource(command)?.plural : undefined
}

/** Converts a jq path to the JMESPath of a command; returns other text unchanged. */
export function convertJq(text: string, command: MeetroomCommand): string {
  return fromJq(text, listKey(command)) ?? text
}

/** Converts a template such as `{{.id}}` or `jsonpath={.items[*].id}` of `get` or `list` to JMESPath; otherwise returns undefined. */
export function convertTemplate(text: string, [group = '', verb]: readonly string[]): string | undefined {
  const [, field] =
    /^\{\{\s*\.?(\w+)\s*\}\}$/.exec(text) ?? /^jsonpath=\{?\.(?:items\[\*\]\.)?(\w+)\}?$/.exec(text) ?? []
  const key = verb === 'get' ? group.replace(/s$/, '') : verb === 'list' ? `${group}[]` : undefined
  return field === undefined || key === undefined ? undefined : `${key}.${field.toLowerCase()}`
}

/** Returns true for field names typed as the value of `--json`, a syntax of other programs. */
export const isFieldList = (flag: string | undefined, text: string): boolean =>
  flag === '--json' && /^[a-z_]\w*(,[a-z_]\w*)*$/i.test(text)

export function suggestFields(command: MeetroomCommand, words: readonly string[], fields: string): Hint {
  const key = command.name() === 'get' ? findResource(command)?.name : listKey(command)?.concat('[]')
  const columns: Hint = ['select fields with: ', suggest([...words, '--columns', fields])]
  if (key === undefined) return columns
  const pairs = fields.split(',').map((field) => `${field}: ${field}`)
  return [columns, ', or for JSON: ', suggest([...words, '--query', `${key}.{${pairs.join(', ')}}`])]
}
