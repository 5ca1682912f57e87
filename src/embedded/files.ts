import { join } from 'node:path'

export function databaseIn(dir: string): string {
  return join(dir, 'workspace.db')
}
