// Finds mutants of the program that only the given tests kill. A mutant is one small change of the code, such
// as a negated condition; a test kills the mutant by failing. Run this script before you delete a test file:
// it shows mutants that the remaining tests would not kill. It works in a copy of the project.
// Run with: npm run test:power -- SOURCE… --without TEST… [--against TEST…] [--mutants N]
//   SOURCE     files or directories of src that the tests cover
//   --without  test files or directories that may be deleted
//   --against  remaining test files or directories; all by default. Built tests and suites never run.
//   --mutants  maximum number of mutants per source file, fewer for files below 200 lines; 10 by default
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const copy = resolve('node_modules/.cache/power')
const { sources, without, against, mutants: perFile } = readArguments(process.argv.slice(2))

function readArguments(words) {
  const lists = { sources: [], '--without': [], '--against': [], '--mutants': [] }
  let list = lists.sources
  for (const word of words) {
    if (Object.hasOwn(lists, word)) list = lists[word]
    else if (word.startsWith('--')) stop(`unknown flag ${word}`)
    else list.push(word)
  }
  if (lists.sources.length === 0 || lists['--without'].length === 0) stop('name SOURCE and --without TEST')
  const [mutants = '10'] = lists['--mutants']
  return {
    sources: lists.sources,
    without: lists['--without'].flatMap((path) => listFiles(path)).map((path) => relative('test', path)),
    against: lists['--against'],
    mutants: Number(mutants),
  }
}

function stop(message) {
  console.error(`${message}; see the first lines of test/power.mjs`)
  process.exit(2)
}

function listFiles(path) {
  if (!statSync(path, { throwIfNoEntry: false })) stop(`no file ${path}`)
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, name))
    .filter((name) => name.endsWith('.ts') && statSync(name).isFile())
}

/** Copies the project for the tests, so that no mutant can remain in the project. */
function prepareCopy() {
  rmSync(copy, { recursive: true, force: true })
  mkdirSync(copy, { recursive: true })
  for (const name of readdirSync('.'))
    if (name !== 'node_modules' && name !== '.git') cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
}

const swaps = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>', '&&': '||', '||': '&&' },
  ...{ '+': '-', '-': '+' },
}

function findMutants(path, text) {
  const found = []
  const add = (start, end, replacement) => found.push({ path, start, end, replacement })
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) return node.forEach(visit)
    const { type = '' } = node
    if (type.startsWith('TS') && !/^TS(As|NonNull|Satisfies)/.test(type)) return
    if (type === 'ImportDeclaration') return
    if (Object.hasOwn(swaps, node.operator) && node.left) {
      const start = text.indexOf(node.operator, node.left.end)
      add(start, start + node.operator.length, swaps[node.operator])
    }
    if (type === 'IfStatement' || type === 'ConditionalExpression') {
      const { start, end } = node.test
      add(start, end, `!(${text.slice(start, end)})`)
    }
    if (type === 'Literal' && typeof node.value === 'boolean') add(node.start, node.end, String(!node.value))
    if (type === 'ExpressionStatement' && node.expression.callee?.type !== 'Super')
      add(node.start, node.end, ';')
    Object.values(node).forEach(visit)
  }
  visit(parseAst(text, { lang: 'ts' }, path).body)
  return found.sort((one, other) => one.start - other.start)
}

/** Selects evenly spread mutants instead of random mutants, so that each run uses the same mutants. */
function pick(mutants, count) {
  const step = mutants.length / count
  return step <= 1 ? mutants : Array.from({ length: count }, (_, i) => mutants[Math.floor((i + 0.5) * step)])
}

/** Returns true if tests fail or take more than ten minutes. */
function fails(tests, excluded = []) {
  const { status } = spawnSync(
    process.execPath,
    [
      join(copy, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--config', 'test/vitest.config.mts', '--bail', '1', '--exclude', '**/*.built.test.ts'],
      ...[
        '--reporter',
        'dot',
        '--exclude',
        'suites/**',
        ...excluded.flatMap((path) => ['--exclude', path]),
        ...tests,
      ],
    ],
    { cwd: copy, stdio: 'ignore', timeout: 600_000 },
  )
  return status !== 0
}

prepareCopy()
if (fails(without)) stop('the tests fail without a mutant')
const counts = { all: 0, killed: 0, alone: 0 }
for (const path of sources.flatMap((source) => listFiles(source))) {
  const text = readFileSync(path, 'utf8')
  const count = Math.max(1, Math.min(perFile, Math.round((text.split('\n').length / 200) * perFile)))
  for (const { start, end, replacement } of pick(findMutants(path, text), count)) {
    writeFileSync(join(copy, path), text.slice(0, start) + replacement + text.slice(end))
    counts.all++
    if (fails(without)) {
      counts.killed++
      if (!fails(against, without)) {
        counts.alone++
        const line = text.slice(0, start).split('\n').length
        console.log(
          `only these tests kill ${path}:${line}: ${text.slice(start, end).split('\n')[0]} → ${replacement}`,
        )
      }
    }
  }
  writeFileSync(join(copy, path), text)
}
console.log(`${counts.all} mutants: the given tests kill ${counts.killed}, ${counts.alone} of them alone`)
process.exitCode = counts.alone > 0 ? 1 : 0
