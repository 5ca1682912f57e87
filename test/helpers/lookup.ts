import type { Lookup } from '../../src/embedded/webhooks/post.ts'

/** Creates a resolver. Each lookup of a name returns the next list of addresses; the last list repeats. */
export function lookupIn(names: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const counts = new Map<string, number>()
  const lookup: Lookup = (name, _, callback) => {
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    const answers = names[name]
    const addresses = answers?.at(Math.min(count, answers.length - 1))
    if (addresses)
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), [])
  }
  return { lookup, counts }
}
