// The types of Node 20, the oldest supported version, lack this module.
declare module 'node:sqlite' {
  import type { Driver } from './connection.ts'
  export const DatabaseSync: new (
    path: string,
    options?: { readOnly?: boolean; defensive?: boolean },
  ) => Driver
}
