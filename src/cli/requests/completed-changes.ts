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

/** Changes that a command has made, for the message of a later error. */
export class CompletedChanges {
  readonly #changes = new Map<string, { readonly noun: Noun; readonly participle: string; count: number }>()

  addWrite({ id }: Route): void {
    const endpoint = Object.values<Endpoint>(endpoints).find((each) => each.id === id)
    const [, verb = ''] = id.split('.')
    const { name, plural: many } = endpoint ? resources[endpoint.resource] : request
    this.add([name, many], endpoint ? (participles[verb] ?? 'changed') : 'accepted')
  }

  add(noun: Noun, participle: string, count = 1): void {
    const key = `${noun[0]} ${participle}`
    const change = this.#changes.get(key) ?? { noun, participle, count: 0 }
    this.#changes.set(key, change)
    change.count += count
  }

  describe(): Done | undefined {
    const changes = [...this.#changes.values()]
    const parts = changes.map(({ noun, participle, count }) => {
      const items = plural(count, `the ${noun[0]}`, counted(count, ...noun))
      return `${items} ${plural(count, 'was', 'were')} ${participle}`
    })
    if (parts.length === 0) return undefined
    return { text: parts.join(', '), isOne: parts.length === 1 && changes[0]?.count === 1 }
  }
}
