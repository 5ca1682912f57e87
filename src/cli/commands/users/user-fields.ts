import { Option } from 'commander'
import type { RequestBody } from '../../../api/operations.ts'
import { user } from '../../../api/resources.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { createWebUrlParser } from '../../input/input.ts'
import { type BodyFlags, type GivenFields, urlFor } from '../../kernel/body.ts'
import { addBodyFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

const { descriptions } = user

export interface UserFlags extends BodyFlags {
  name?: string
  email?: string
  profileUrl?: string
  defaultMemberType?: MemberType
}

export function addUserFlags(command: MeetroomCommand): MeetroomCommand {
  return addBodyFlags(
    command
      .option('--name <name>', descriptions.name)
      .option('--email <address>', descriptions.email)
      .option('--profile-url <url>', descriptions.profile_url, createWebUrlParser('--profile-url'))
      .addOption(
        new Option('--default-member-type <type>', descriptions.default_member_type).choices(memberTypes),
      ),
  )
}

export function settingsFrom(flags: UserFlags): GivenFields<'updateUser'> {
  return {
    '--name': { name: flags.name },
    '--email': { email: flags.email },
    '--profile-url': { profile_url: flags.profileUrl },
    '--default-member-type': { default_member_type: flags.defaultMemberType },
  }
}

/** Encodes the profile URL (API specification, “What the service does”). */
export function withEncodedUrl<B extends RequestBody<'updateUser'>>(body: B, flags: BodyFlags): B {
  const { profile_url } = body
  return typeof profile_url === 'string'
    ? { ...body, profile_url: urlFor('profile_url', flags)(profile_url) }
    : body
}
