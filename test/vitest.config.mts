import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    // Machines are shared, and slow at times; a test that hangs still ends.
    testTimeout: 30_000,
    // Nothing of the developer’s own set-up may reach a test.
    env: { TZ: 'UTC' },
    // The counts that CI prints.
    reporters: ['default', 'json'],
    outputFile: { json: '../node_modules/.cache/tests.json' },
  },
})
