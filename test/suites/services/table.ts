import { type FakeService, service } from './fake.ts'
import { answers } from './fakes/answers.ts'
import { deletions } from './fakes/deletions.ts'
import { frameworks } from './fakes/frameworks.ts'
import { gateways } from './fakes/gateways.ts'
import { lag } from './fakes/lag.ts'
import { listBodies, listCaches, listEnds, listTotals } from './fakes/list-ends.ts'
import { joins, orders } from './fakes/list-order.ts'
import { paging } from './fakes/pages.ts'
import { proxies } from './fakes/proxies.ts'
import { reading } from './fakes/reads.ts'
import { storedValues } from './fakes/values.ts'

export const plain = service('is the embedded service', (_, next) => next())

/** Services that differ only after a write, so that commands that only read have the same results. */
const likePlain: readonly FakeService[] = [
  ...answers,
  ...frameworks,
  ...gateways,
  ...lag,
  ...deletions,
  ...proxies,
]
const others: readonly FakeService[] = [
  ...paging,
  ...orders,
  ...joins,
  ...listEnds,
  ...listTotals,
  ...listBodies,
  ...listCaches,
  ...reading,
  ...storedValues,
  { ...plain, name: 'has numbers for IDs', ids: 'number' },
  { ...plain, name: 'has UUIDs for IDs', ids: 'uuid' },
]

export const services: readonly FakeService[] = [plain, ...likePlain, ...others]

const differing = new Set([plain, ...others])
/** Returns true for `plain` and for services whose reads can differ. */
export const hasOtherReads = (fake: FakeService) => differing.has(fake)
