import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineWorkspaceAdopt } from './adopt.ts'
import { defineWorkspaceApply } from './apply.ts'
import { defineWorkspaceDiff } from './diff.ts'
import { defineWorkspaceExport } from './export.ts'

export function defineWorkspace(workspace: MeetroomCommand, act: DefineAction): void {
  defineWorkspaceExport(workspace, act)
  defineWorkspaceDiff(workspace, act)
  defineWorkspaceApply(workspace, act)
  defineWorkspaceAdopt(workspace, act)
}
