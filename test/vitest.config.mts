import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter } from 'node:path'
import { defineConfig } from 'vitest/config'
import { bundleForBrowser, parseTopic } from '../.esbuild-text.mjs'

// The program refuses settings and keys that a group can write to, and some machines create such files by
// default.
process.umask(0o022)

/** Directories with tools of root, such as chroot, which some environments omit. */
const PATH = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(delimiter)

/**
 * Returns a directory for temporary files, in memory if possible. Memory saves a third of the system time of
 * tests in process, and a sixth of the time of the built program. A container may forbid programs there, or
 * limit it to 64 MB.
 */
function findTemporaryDirectory(): string {
  const memory = '/dev/shm'
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
  if (process.env['TMPDIR'] || !/^\S+ \/dev\/shm tmpfs rw(?!\S*noexec)/m.test(mounts)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= 2 ** 31 ? memory : tmpdir()
}

/** Plugin that imports programs for the browser and help topics as text, like the bundler. */
const importsAsText = {
  name: 'imports-as-text',
  enforce: 'pre' as const,
  async load(id: string) {
    const [path = '', query] = id.split('?')
    if (query !== 'script' && !path.endsWith('.md')) return undefined
    const text = query === 'script' ? await bundleForBrowser(path) : parseTopic(readFileSync(path, 'utf8'))
    return `export default ${JSON.stringify(text)}`
  },
}

// `--mode full` runs the suites of `test/suites` in full, each with its own script. Vitest passes the mode
// only to this function, which passes the dependent values to each project.
export default defineConfig(({ mode }) => {
  const each = {
    root: import.meta.dirname,
    // Shared machines may be slow, but a test that hangs must still end.
    testTimeout: mode === 'full' ? 3_600_000 : 30_000,
    hookTimeout: mode === 'full' ? 3_600_000 : 30_000,
    // Tests must not depend on the settings of the developer.
    env: { TZ: 'UTC', PATH, MEETROOM_TEST_FULL: mode === 'full' ? '1' : '' },
  }
  // Modules have no state, so test files share them, which saves a sixth of the time.
  const project = (name: string, files: { include: string[]; exclude?: string[] }, TMPDIR: string) => ({
    plugins: [importsAsText],
    test: { ...each, ...files, env: { ...each.env, TMPDIR }, name, isolate: false },
  })
  const memory = findTemporaryDirectory()
  // In a full run, tests that start processes use the usual disk.
  const disk = mode === 'full' ? tmpdir() : memory
  return {
    test: {
      ...each,
      // Two more workers than cores, because many tests wait for a process.
      maxWorkers: availableParallelism() + 2,
      // CI prints the counts of this report.
      reporters: ['default', 'json'],
      outputFile: { json: '../node_modules/.cache/tests.json' },
      projects: [
        project(
          'unit and world',
          { include: ['**/*.test.ts'], exclude: ['**/*.built.test.ts', 'suites/**'] },
          memory,
        ),
        project('built program', { include: ['**/*.built.test.ts'] }, disk),
        project('suites', { include: ['suites/*.test.ts'] }, disk),
      ],
    },
  }
})
