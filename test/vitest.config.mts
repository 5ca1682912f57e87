import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    // Nothing of the developer’s own set-up may reach a test.
    env: { TZ: 'UTC' },
    // The counts that CI prints.
    reporters: ['default', 'json'],
    outputFile: { json: '../node_modules/.cache/tests.json' },
  },
})
