import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { leaves } from './helpers/tree.ts'

const src = resolve(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

interface Import {
  from: string
  to: string
  typeOnly: boolean
  dynamic: boolean
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found = text.matchAll(
    /(?:^|\n)(?:import|export)\s(type\s)?[^'"]*?from '([^']+)'|import\('([^']+)'\)/g,
  )
  return [...found].map(([, typeOnly, fixed, dynamic]) => {
    const target = fixed ?? dynamic ?? ''
    return {
      from: file,
      to: target.startsWith('.') ? relative(src, resolve(src, dirname(file), target)) : target,
      typeOnly: typeOnly !== undefined,
      dynamic: dynamic !== undefined,
    }
  })
}

const imports = files.flatMap(importsOf)
const ours = imports.filter(({ to }) => to.endsWith('.ts'))
const layer = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, ''))

/** The layers that each layer may import. */
const mayImport: Record<string, readonly string[]> = {
  start: ['main', 'host', 'version'],
  main: ['cli', 'errors', 'host'],
  cli: [
    'cli',
    'client',
    'api',
    'config',
    'files',
    'help',
    'embedded',
    'duration',
    'errors',
    'host',
    'version',
  ],
  embedded: ['embedded', 'api', 'files', 'errors'],
  client: ['client', 'api', 'errors'],
  config: ['config', 'files', 'api', 'duration', 'errors', 'host'],
  files: ['files', 'errors', 'host'],
  api: ['api', 'errors'],
  help: [],
  duration: ['errors'],
  errors: [],
  host: [],
  version: [],
}

test('layers import only the layers below them', () => {
  const wrong = ours.filter(({ from, to }) => !mayImport[layer(from)]?.includes(layer(to)))
  expect(wrong).toEqual([])
})

test('cli imports the embedded service dynamically', () => {
  const fromCli = ours.filter(({ from, to }) => layer(from) === 'cli' && layer(to) === 'embedded')
  expect(fromCli.filter(({ dynamic, typeOnly }) => !dynamic && !typeOnly)).toEqual([])
})

test('folders do not import each other in a cycle, types and dynamic imports included', () => {
  // A file in src itself stands alone: main.ts is above cli, and errors.ts below.
  const folder = (file: string) => (file.includes('/') ? dirname(file) : file)
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of ours)
    if (folder(from) !== folder(to))
      edges.set(folder(from), (edges.get(folder(from)) ?? new Set()).add(folder(to)))
  expect(findCycle(edges)).toEqual([])
})

test('cli holds no loose files, and src only those that every layer may need', () => {
  expect(files.filter((file) => dirname(file) === 'cli')).toEqual([])
  expect(files.filter((file) => dirname(file) === '.').sort()).toEqual([
    ...['duration.ts', 'errors.ts', 'host.ts', 'main.ts', 'markdown.d.ts', 'start.ts', 'version.ts'],
  ])
})

test('each command has a file that is found by its words', async () => {
  const fileOf = (words: readonly string[]) => {
    // `__complete`, which only shells call.
    const path = `cli/commands/${words.join('/').replace(/^_+/, '')}`
    const own = [`${path}.ts`, ...(words.length === 1 ? [`${path}/${words[0]}.ts`] : [])]
    return own.find((file) => files.includes(file))
  }
  const commands = (await leaves()).map(({ words }) => words)
  expect(commands.length).toBeGreaterThan(50)
  expect(commands.filter((words) => fileOf(words) === undefined)).toEqual([])
  // Groups list their verbs, and define none.
  const groups = new Set(commands.filter(({ length }) => length > 1).map(([group]) => group))
  const definesVerb = (group = '') => /\.command\(|\.action\(/.test(code(`cli/commands/${group}/${group}.ts`))
  expect([...groups].filter(definesVerb)).toEqual([])
})

test('the modules that every command loads do not import zod', () => {
  const withZod = ['api/openapi.ts', 'api/operations.ts', 'api/schemas.ts', 'api/webhooks.ts']
  const loads = imports.filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic)
  const ofSchema = ['command-schemas.ts', 'errors.ts', 'schemas.ts'].map(
    (file) => `cli/commands/schema/${file}`,
  )
  expect([...new Set(loads.filter(({ to }) => to === 'zod').map(({ from }) => from))].sort()).toEqual([
    ...withZod,
    ...ofSchema,
  ])
  // These are loaded late themselves.
  const late = [...withZod, ...ofSchema, 'cli/commands/webhooks/webhook.ts']
  expect(loads.filter(({ from, to }) => withZod.includes(to) && !late.includes(from))).toEqual([])
})

test('only host.ts touches process', () => {
  const touching = files.filter((file) => /\bprocess\.|from 'node:process'/.test(code(file)))
  expect(touching).toEqual(['host.ts'])
})

test('no module prints except through the host', () => {
  expect(files.filter((file) => /\bconsole\./.test(code(file)))).toEqual([])
})

test('files do not import each other in a cycle, types included', () => {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of ours) edges.set(from, (edges.get(from) ?? new Set()).add(to))
  expect(findCycle(edges)).toEqual([])
})

/** Returns one cycle of a graph; empty when there is none. */
function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const done = new Set<string>()
  const cycleFrom = (node: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of edges.get(node) ?? []) {
      const cycle = cycleFrom(next, [...path, node])
      if (cycle) return cycle
    }
    done.add(node)
    return undefined
  }
  return [...edges.keys()].map((node) => cycleFrom(node, [])).find((cycle) => cycle !== undefined) ?? []
}

test('nothing reaches a terminal but through visible.ts: no other module calls a text visible', () => {
  expect(files.filter((file) => /\bas Visible\b/.test(code(file)))).toEqual([
    'cli/output/terminal/visible.ts',
  ])
  // What libraries make of visible text.
  expect(files.filter((file) => /\bcomposed\(/.test(code(file))).sort()).toEqual([
    'cli/output/formats/fit.ts',
    'cli/output/formats/layout.ts',
    'cli/output/formats/table.ts',
    'cli/output/terminal/style.ts',
    'cli/output/terminal/unicode.ts',
    'cli/output/terminal/visible.ts',
    'cli/output/terminal/width.ts',
  ])
  // Libraries that move the cursor, and take any text.
  expect(files.filter((file) => /\bhost\.prompt\b/.test(code(file))).sort()).toEqual(['cli/requests/ask.ts'])
})

test('only make-directory.ts makes directories', () => {
  expect(files.filter((file) => /\bmkdir(Sync)?\(/.test(code(file)))).toEqual(['files/make-directory.ts'])
})

test('no module uses URL.canParse, which fails on Latin-1 text in Node 20 once V8 has optimized it', () => {
  expect(files.filter((file) => /\bcanParse\b/.test(code(file)))).toEqual([])
})

test('no module keeps state', () => {
  expect(files.filter((file) => /^(export )?let /m.test(code(file)))).toEqual([])
})

/** The text of a file without its comments. */
function code(file: string): string {
  return readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

test('templates with a tag hold ASCII only: the build escapes other characters, but not there', () => {
  const wrong = files.filter((file) => /\bown`[^`]*[^\n -~`]/.test(code(file)))
  expect(wrong).toEqual([])
})

test('times of the service are read in one place', () => {
  // The others read HTTP dates, certificates and what the user typed.
  const readers = [
    ...['api/readings.ts', 'client/retry-after.ts'],
    ...['cli/commands/doctor/network.ts', 'cli/commands/doctor/service.ts'],
  ]
  const found = files.filter((file) => readFileSync(join(src, file), 'utf8').includes('Date.parse('))
  expect(found.sort()).toEqual([...readers, 'cli/filter/compare.ts'].sort())
})

test('hints and notices hold suggestions, printed with the flags of the run; only help texts spell commands out', () => {
  const helpTexts = [
    ...['commands/program.ts', 'shell/scripts.ts', 'commands/complete.ts', 'commands/sessions/watch.ts'],
  ]
  const inHelp = (file: string) => helpTexts.some((name) => file === `cli/${name}`)
  const groups = readFileSync(join(src, 'cli/commands/program.ts'), 'utf8').matchAll(/ name: '(\w+)'/g)
  const words = [...groups].map(([, name]) => name).join('|')
  // Examples of help are whole texts, which begin with the command or with what feeds it.
  const named = new RegExp(
    `(?:[^\\s|(] |hint: ['"\`]|notice\\(['"\`] *)meetroom (?:--?\\w|\\$\\{|(?:${words})\\b)`,
  )
  expect(files.filter((file) => !inHelp(file) && named.test(code(file)))).toEqual([])
  expect(files.filter((file) => /\['meetroom',/.test(code(file)))).toEqual(['cli/output/hint-text.ts'])
})

test('test files that start the built program end in .built.test.ts or are suites', () => {
  const valueImports = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^import (?!type )[^'"]*?from '(\.[^']+)'/gm)]
      .map(([, to = '']) => resolve(dirname(file), to))
      .filter((to) => to.startsWith(import.meta.dirname))
  const startsProgram = (file: string): boolean =>
    file.endsWith('helpers/built.ts') || valueImports(file).some(startsProgram)
  const paths = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const tests = paths.filter((path) => path.endsWith('.test.ts') && !path.startsWith('suites/'))
  const starters = tests.filter((path) => startsProgram(join(import.meta.dirname, path)))
  expect(starters).toContain('program.built.test.ts')
  expect(starters.filter((path) => !path.endsWith('.built.test.ts'))).toEqual([])
})
