import type { Context } from '../../kernel/context.ts'
import { nameService } from '../../requests/find-service.ts'
import type { WorkspaceIdentity } from '../lock/section.ts'
import type { RoomList } from './read-state.ts'

export async function identifyWorkspace(
  context: Context,
  { applicationId, items }: RoomList,
): Promise<WorkspaceIdentity> {
  const settings = await context.settings()
  return {
    baseUrl: nameService(settings),
    applicationId,
    profile: settings.profile.value,
    hasRooms: items.size > 0,
  }
}
