// Runs the tests on several versions of Node. All tests run on the newest version of each even release line.
// Some tests run the built program on the oldest versions that `engines` allows.
// `--short` runs the built program on the oldest and the newest version only. `--full` runs suites in full.
// FILE… selects test files, and omits the oldest versions.
// Run with: npm run test:matrix [-- --short | [--full] [FILE…]]
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'

const oldest = ['20.18.0', '22.0.0', '24.0.0', '26.0.0']
const newest = ['20', '22', '24', '26']
const short = process.argv.includes('--short')
const mode = process.argv.includes('--full') ? 'full' : 'test'
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const cache = resolve('node_modules/.cache')

/** Tests in which the built program may run on another version of Node than the test runner. */
const builtTests = [
  'test/program.built.test.ts',
  'test/cli/import/import.built.test.ts',
  'test/client/http/stall.built.test.ts',
  'test/bin/launcher.built.test.ts',
  'test/suites/process',
  'test/cli/commands/serve/serve.built.test.ts',
]

/**
 * Returns the executable of a release, from the package `node` of the registry. If the package cannot be
 * fetched, returns undefined with `--short`, and ends this process with exit code 1 otherwise.
 */
function fetchNode(release) {
  const dir = join(cache, `node-${release}`)
  const file = join(dir, 'node_modules/node/bin/node')
  if (!existsSync(file))
    spawnSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', dir, `node@${release}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  if (existsSync(file)) return file
  console.log(`Node ${release} cannot be fetched`)
  // The short form is part of CI, which may not reach the registry except for locked packages.
  if (!short) process.exit(1)
  return undefined
}

/** Runs vitest with the Node binary `runner`, and the built program with the Node binary `built`. */
function run(name, runner, built, tests) {
  const report = join(cache, `tests-${name}.json`)
  const { status } = spawnSync(
    runner,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.mts',
      '--mode',
      mode,
      '--reporter=json',
      `--outputFile=${report}`,
      ...tests,
    ],
    // Programs that tests start by name, such as npm, must find the same version of Node.
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        PATH: `${dirname(runner)}${delimiter}${process.env.PATH}`,
        MEETROOM_TEST_NODE: built,
      },
    },
  )
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    testResults,
  } = JSON.parse(readFileSync(report, 'utf8'))
  for (const { name: file, status: whole, message, assertionResults } of testResults) {
    const bad = assertionResults.filter(({ status: outcome }) => outcome === 'failed')
    for (const { fullName, failureMessages } of bad)
      console.log(`FAILED on ${name}: ${fullName}\n${failureMessages[0]}`)
    // A file that cannot be loaded has no tests that could fail.
    if (whole === 'failed' && bad.length === 0) console.log(`FAILED on ${name}: ${file}\n${message}`)
  }
  console.log(`${name}: ${passed} passed, ${failed} failed`)
  return status === 0 && passed > 0
}

let good = true
if (!short)
  for (const release of newest) {
    const node = fetchNode(release)
    good = run(`node-${release}`, node, node, named) && good
  }
const alsoBuilt = named.length > 0 ? [] : oldest
for (const release of short ? [oldest[0], newest.at(-1)] : alsoBuilt) {
  const node = fetchNode(release)
  if (node) good = run(`node-${release}-built`, process.execPath, node, builtTests) && good
}
process.exitCode = good ? 0 : 1
