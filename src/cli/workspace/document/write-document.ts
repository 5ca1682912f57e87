import { declarableFields } from '../schema/fields.ts'
import type { DesiredRoom, DesiredUser, WorkspaceDocument } from './document.ts'

type Exported = Pick<WorkspaceDocument, 'users' | 'rooms'>

export function toPlainDocument({ users, rooms }: Exported): object {
  return {
    ...(users && { users: users.map((user) => toPlainUser('user', user)) }),
    ...(rooms && { rooms: rooms.map(toPlainRoom) }),
  }
}

function toPlainUser(kind: 'user' | 'member', { user_id, fields, isProtected }: DesiredUser): object {
  return {
    user_id,
    ...pickFields(kind, fields),
    ...(isProtected !== undefined && { protected: isProtected }),
  }
}

function toPlainRoom({ key, fields, members, isProtected }: DesiredRoom): object {
  return {
    key,
    ...pickFields('room', fields),
    ...(isProtected !== undefined && { protected: isProtected }),
    ...(members && { members: members.map((member) => toPlainUser('member', member)) }),
  }
}

function pickFields(kind: 'user' | 'room' | 'member', fields: DesiredUser['fields']): object {
  return Object.fromEntries(
    declarableFields(kind).flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])),
  )
}

/** Formats YAML with one line per user and member, for readable changes in git. */
export function formatYaml(document: Exported): string {
  const { users, rooms } = toPlainDocument(document) as { users?: object[]; rooms?: object[] }
  const lines = [
    '# Omitted fields are out of scope, and an empty list means none.',
    ...formatList('users', users, (user) => [`  - ${formatFlow(user)}`]),
    ...formatList('rooms', rooms, formatRoom),
  ]
  return `${lines.join('\n')}\n`
}

export const formatProfileLine = (profile: string, isJson: boolean) =>
  isJson ? `"workspace": ${JSON.stringify(profile)},` : `workspace: ${formatScalar(profile)}`

function formatList<T>(
  name: string,
  items: readonly T[] | undefined,
  format: (item: T) => string[],
): string[] {
  if (!items) return []
  return items.length === 0 ? [`${name}: []`] : [`${name}:`, ...items.flatMap(format)]
}

function formatRoom({ members, ...fields }: { members?: readonly object[] }): string[] {
  return [
    ...Object.entries(fields).map(
      ([name, value], i) => `  ${i === 0 ? '-' : ' '} ${name}: ${formatScalar(value)}`,
    ),
    ...formatList('members', members, (member) => [`  - ${formatFlow(member)}`]).map((line) => `    ${line}`),
  ]
}

function formatFlow(item: object): string {
  return `{ ${Object.entries(item)
    .map(([name, value]) => `${name}: ${formatScalar(value)}`)
    .join(', ')} }`
}

/** Words that some YAML parsers read as a boolean or null. */
const reserved = /^(y|n|yes|no|on|off|true|false|null)$/i

/** Quotes text that a YAML parser might misread. */
function formatScalar(value: unknown): string {
  const isPlain =
    typeof value === 'string' && /^[A-Za-z]([\w .@/-]*[\w@/-])?$/.test(value) && !reserved.test(value)
  return isPlain ? value : escapeControls(JSON.stringify(value))
}

/** Escapes characters that JSON allows and a YAML parser may refuse or change. */
function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
