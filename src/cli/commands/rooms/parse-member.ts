import { omitUndefined } from '../../../api/defined.ts'
import { formatChoices } from '../../../api/either.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import { checkId } from '../../input/id-arguments.ts'

const isRole = (text: string) => memberTypes.some((role) => role === text)

/**
 * Parses `USER[:TYPE[:NAME]]`. The user ID cannot contain a colon.
 * @throws {UsageError} for malformed text or an unknown type
 */
export function parseMember(text: string): { user_id: string; type?: MemberType; name?: string } {
  const [, user, type, name] = /^([^:]+)(?::([^:]*)(?::([\s\S]*))?)?$/.exec(text) ?? []
  if (user === undefined)
    throw new UsageError(`--member must be USER, USER:ROLE or USER:ROLE:NAME, not “${text}”`)
  const parts = text.split(',')
  if (parts.length > 1 && name === undefined && !parts.some(isRole))
    throw new UsageError(`--member must be one user, not “${text}”`, {
      hint: 'repeat the flag for each user',
      lineEdit: { before: 'repeat the flag: ', replace: ['--member', text, parts] },
    })
  const known = memberTypes.find((known) => known === type)
  if (type && !known) {
    const isSwapped = isRole(user)
    const rest = name === undefined ? [] : [name]
    throw new UsageError(`--member ${text}: the role must be ${formatChoices(memberTypes)}, not “${type}”`, {
      ...(isSwapped
        ? { correction: [text, [type, user, ...rest].join(':')] }
        : {
            misspelling: {
              kind: 'choice',
              words: [type],
              known: memberTypes,
              correct: (find) => [text, [user, find(type), ...rest].join(':')],
            },
          }),
    })
  }
  return {
    user_id: checkId('--member', 'user', user),
    ...omitUndefined({ type: known, name: name || undefined }),
  }
}
