import { join } from 'node:path'

export function getDatabasePath(dir: string): string {
  return join(dir, 'workspace.db')
}
