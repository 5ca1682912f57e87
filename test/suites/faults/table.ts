import type { Fault } from './fault.ts'
import { bodies } from './table/bodies.ts'
import { connections } from './table/connections.ts'
import { contents } from './table/contents.ts'
import { heads } from './table/heads.ts'
import { proxies } from './table/proxies.ts'
import { statuses } from './table/statuses.ts'
import { tls } from './table/tls.ts'

export const faults: readonly Fault[] = [
  ...connections,
  ...tls,
  ...proxies,
  ...heads,
  ...bodies,
  ...contents,
  ...statuses,
]
