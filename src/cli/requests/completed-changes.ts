import { type Endpoint, endpoints, type Route } from '../../api/endpoints.ts'
import { counted, plural } from '../../api/plural.ts'
import { resources } from '../../api/resources.ts'
import type { Done } from '../../errors.ts'

type Noun = readonly [one: string, many: string]

const participles: Readonly<Record<string, string>> = {
  create: 'created',
  add: 'added',
  update: 'changed',
  delete: 'deleted',
  send: 'sent',
  redeliver: 'delivered again',
}

/** Noun for writes of `meetroom api`. */
const request = { name: 'request', plural: 'requests' }

/** Changes that a run has made. An error of lost output names them, because its exit code does not. */
export class CompletedChanges {
  readonly #counts = new Map<string, { noun: Noun; participle: string; count: number }>()

  addWrite(route: Route): void {
    const endpoint = Object.values<Endpoint>(endpoints).find(({ id }) => id === route.id)
    const [, verb = ''] = route.id.split('.')
    const { name, plural: many } = endpoint ? resources[endpoint.resource] : request
    this.add([name, many], endpoint ? (participles[verb] ?? 'changed') : 'accepted')
  }

  add(noun: Noun, participle: string, count = 1): void {
    const key = `${noun[0]} ${participle}`
    const known = this.#counts.get(key)
    this.#counts.set(key, { noun, participle, count: (known?.count ?? 0) + count })
  }

  /** Formats the changes, as in `the room was created`; undefined if there are none. */
  describe(): Done | undefined {
    const changes = [...this.#counts.values()]
    const parts = changes.map(({ noun, participle, count }) => {
      const items = plural(count, `the ${noun[0]}`, counted(count, ...noun))
      return `${items} ${plural(count, 'was', 'were')} ${participle}`
    })
    if (parts.length === 0) return undefined
    return { text: parts.join(', '), isOne: parts.length === 1 && changes[0]?.count === 1 }
  }
}
