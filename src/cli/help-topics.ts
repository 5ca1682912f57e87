import { agents } from './topics/agents.ts'
import { bulk } from './topics/bulk.ts'
import { environment } from './topics/environment.ts'
import { exitCodes } from './topics/exit-codes.ts'
import { formatting } from './topics/formatting.ts'
import { imports } from './topics/import.ts'
import { lists } from './topics/lists.ts'
import { where } from './topics/where.ts'

/** The topics of `meetroom help`. The README has some of them word for word. */
export const topics = {
  where,
  lists,
  import: imports,
  bulk,
  formatting,
  'exit-codes': exitCodes,
  environment,
  agents,
}
