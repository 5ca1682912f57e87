import { isUrl } from '../api/is-url.ts'
import { isLoopback } from '../api/loopback.ts'
import { type Fields, selectListedFields, selectUnlistedFields } from '../api/resource-types.ts'
import { room, user } from '../api/resources.ts'
import { UsageError } from '../errors.ts'

const linkFields = ['room_id', 'room_name', 'user_id', 'name', 'role', 'access_token']

const listNames = ({ fields }: { fields: Fields }) =>
  [...selectListedFields(fields), ...selectUnlistedFields(fields)]
    .filter(([name, { secret }]) => !linkFields.includes(name) && !secret && name !== 'id')
    .map(([name]) => name)

export const userLinkFields: readonly string[] = listNames(user)
/** Fields of rooms by placeholder: `room_type`, and `type` unless `userLinkFields` has the same name. */
export const roomLinkFields: ReadonlyMap<string, string> = new Map(
  listNames(room)
    .filter((name) => name !== 'name')
    .flatMap((name) => [
      [`room_${name}`, name] as const,
      ...(userLinkFields.includes(name) ? [] : [[name, name] as const]),
    ]),
)
/** Columns of link rows that the user can add. `url` is the link. */
export const linkColumns = ['url', ...userLinkFields, ...roomLinkFields.keys()]
const placeholderNames = new Set([...linkFields, ...userLinkFields, ...roomLinkFields.keys()])

export const exampleTemplate = 'https://app.example.com/meet?room_id={room_id}&access_token={access_token}'

/** @throws {UsageError} if the text is not a valid link template */
export function parseLinkTemplate(text: string): string {
  const template = text.trim()
  const refuse = (problem: string, hint = `a link template has the form ${exampleTemplate}`) =>
    new UsageError(`the link template ${problem}`, { hint })
  if (!isUrl(template)) throw refuse('is not a valid URL')
  const url = new URL(template)
  // The message does not quote the URL, because the URL may contain a password.
  if (url.username || url.password) throw refuse('must not contain a user name or password')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw refuse('must be an https URL, or http on this machine, because links contain access tokens')
  if (/\s/.test(template)) throw refuse('must not contain white space')
  const placeholders: readonly string[] = template.match(/\{[^{}]*\}|[{}]/g) ?? []
  const unknown = placeholders.find((placeholder) => !placeholderNames.has(placeholder.slice(1, -1)))
  if (unknown !== undefined)
    throw refuse(
      `has an unknown placeholder “${unknown}”`,
      `placeholders are ${linkFields.map((field) => `{${field}}`).join(', ')}, and fields of users and rooms such as {email} and {room_type}`,
    )
  if (!placeholders.includes('{room_id}')) throw refuse('must contain {room_id}')
  // A value must not choose the server that receives an access token.
  if (/^[a-z]+:\/*[^/?#\\]*\{/i.test(template)) throw refuse('must not have a placeholder in the host')
  return template
}
