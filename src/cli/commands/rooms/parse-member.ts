import { omitUndefined } from '../../../api/defined.ts'
import { formatChoices } from '../../../api/either.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import { checkId } from '../../input/id-arguments.ts'
import { findNearChoice } from '../../output/views/near-field.ts'

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
    const near = isSwapped ? user : findNearChoice(type, memberTypes)
    throw new UsageError(`--member ${text}: the role must be ${formatChoices(memberTypes)}, not “${type}”`, {
      correction:
        near === undefined
          ? undefined
          : [text, [isSwapped ? type : user, near, ...(name === undefined ? [] : [name])].join(':')],
    })
  }
  return {
    user_id: checkId('--member', 'user', user),
    ...omitUndefined({ type: known, name: name || undefined }),
  }
}
