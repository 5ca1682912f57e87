// The types of Node 20, the oldest that is supported, do not have it yet.
declare module 'node:sqlite' {
  import type { Sqlite } from './sqlite.ts'
  export const DatabaseSync: new (path: string) => Sqlite
}
