import { join } from 'node:path'

/** The database of a workspace: where it is, there is one. */
export function databaseIn(dir: string): string {
  return join(dir, 'workspace.db')
}
