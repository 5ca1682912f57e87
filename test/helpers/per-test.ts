import { beforeEach } from 'vitest'

/** Creates a value before each test. The result forwards to the current value. */
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
