import { type ErrorDetails, UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'
import { quoteWord } from '../../output/hint-text.ts'
import type { WorkspaceDocument } from '../document/document.ts'
import { createSection, type Section } from './lock.ts'
import { findNewLockName } from './lock-file.ts'

export interface WorkspaceIdentity {
  /** Base URL; `local` for the local workspace, because its base URL changes. */
  baseUrl: string
  /** Application ID from the first room; undefined if unknown. */
  applicationId: string | undefined
  profile: string
  hasRooms: boolean
}

interface SectionRequest {
  /** Name of the lock file, for errors. */
  name: string
  document: Pick<WorkspaceDocument, 'workspace' | 'formatProfileLine'>
  host: Host
  isRoom: (id: string) => boolean
  /** True with `--prune=users`. A wrong section is then harmful even without rooms. */
  prunesUsers: boolean
}

/**
 * Selects the section of the current workspace. A wrong section would make every room look deleted.
 * @throws {UsageError} if the section or the file may belong to another workspace
 */
export function selectSection(
  sections: readonly Section[],
  identity: WorkspaceIdentity,
  { name, document, host, isRoom, prunesUsers }: SectionRequest,
): Section {
  const { workspace, formatProfileLine } = document
  const { baseUrl, applicationId, profile, hasRooms } = identity
  if (workspace !== undefined && workspace !== profile)
    throw new UsageError(
      `the file belongs to the profile “${workspace}”, and this is the profile “${profile}”`,
      {
        hint: `pass --profile ${quoteWord(workspace)}, or change “workspace” in the file`,
        lineEdit: {
          before: 'use that profile: ',
          add: ['--profile', workspace],
          after: ', or change “workspace” in the file',
        },
      },
    )
  const here = sections.filter((section) => section.base_url === baseUrl)
  const same = here.find((section) => applicationId !== undefined && section.application_id === applicationId)
  if (same) return same
  const [other] = here
  if (!other) return createSection(baseUrl, applicationId, workspace)
  // A profile named in the file identifies the workspace with certainty.
  const isNamed = workspace !== undefined && (other.workspace ?? workspace) === workspace
  if (applicationId !== undefined && other.application_id !== undefined)
    throw new UsageError(
      `${name} belongs to workspace ${other.application_id} at ${baseUrl}, and this key is for workspace ${applicationId}`,
      {
        hint: 'select the profile of that workspace with --profile, or use a separate file for this workspace',
      },
    )
  const known = [...other.rooms.values()]
  const isHarmless = known.length === 0 && (!prunesUsers || other.users.size === 0)
  if (isNamed || isHarmless || known.some(({ id }) => isRoom(id))) return other
  const canName = workspace === undefined && (other.workspace ?? profile) === profile
  throw new UsageError(
    hasRooms
      ? `none of the rooms in ${name} exists, and the service does not show which workspace this key is for`
      : `the service lists no rooms, so it is unknown whether ${name} belongs to the workspace of this key`,
    canName && formatProfileLine
      ? {
          hint: `if the lock file belongs to this workspace, add this line to the workspace file: ${formatProfileLine(profile)}`,
        }
      : suggestNewLock(findNewLockName(name, host)),
  )
}

const suggestNewLock = (name: string): ErrorDetails => ({
  hint: 'start with a new lock file: name it with --lock',
  lineEdit: { before: 'start with a new lock file: ', omit: ['--lock'], add: ['--lock', name] },
})
