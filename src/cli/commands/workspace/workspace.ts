import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineWorkspaceAdopt } from './adopt.ts'
import { defineWorkspaceApply } from './apply.ts'
import { defineWorkspaceDiff } from './diff.ts'
import { defineWorkspaceExport } from './export.ts'

export function defineWorkspace(workspace: MeetroomCommand): void {
  defineWorkspaceExport(workspace)
  defineWorkspaceDiff(workspace)
  defineWorkspaceApply(workspace)
  defineWorkspaceAdopt(workspace)
}
