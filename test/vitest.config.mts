import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** They put something else in the place of node:dns, which is for them alone. */
const withOwnDns = ['suites/websec-ssrf.test.ts', 'local/live/post.test.ts']

// `--mode full` runs the suites of `test/suites` in full, each by a script of its own.
export default defineConfig(({ mode }) => ({
  test: {
    root: import.meta.dirname,
    // One more than there are cores: many tests wait for a process that they started.
    maxWorkers: availableParallelism() + 1,
    // Machines are shared and slow at times, and a test that hangs must still end.
    testTimeout: mode === 'full' ? 3_600_000 : 30_000,
    // Nothing of the developer’s own setup reaches a test.
    env: { TZ: 'UTC', MEETROOM_TEST_FULL: mode === 'full' ? '1' : '' },
    // The counts that CI prints.
    reporters: ['default', 'json'],
    outputFile: { json: '../node_modules/.cache/tests.json' },
    // Modules have no state, so that test files share them: to load them for each takes a sixth of the time.
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['**/*.test.ts'], exclude: withOwnDns, isolate: false },
      },
      { extends: true, test: { name: 'own dns', include: withOwnDns } },
    ],
  },
}))
