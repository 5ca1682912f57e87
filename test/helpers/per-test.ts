import { beforeEach } from 'vitest'

/**
 * Creates a value before each test of a file or a group; the result forwards to the value of the current
 * test.
 */
export function perTest<T extends object>(create: () => Promise<T>): T {
  let current: T
  beforeEach(async () => {
    current = await create()
  })
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(current, key),
    set: (_, key, value) => Reflect.set(current, key, value),
  })
}
