import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

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

/** The layers of ours that each layer may import. */
const mayImport: Record<string, readonly string[]> = {
  start: ['main', 'host', 'version'],
  main: ['cli', 'errors', 'host'],
  cli: [
    ...['cli', 'api', 'config', 'config-store', 'config-values', 'duration', 'errors', 'host'],
    ...['lock', 'make-directory', 'own-file', 'stored-config', 'trusted-file', 'version', 'local'],
  ],
  'config-store': ['errors', 'host', 'lock', 'make-directory', 'stored-config', 'windows-acl'],
  config: ['config-values', 'errors', 'stored-config'],
  'stored-config': ['errors', 'trusted-file'],
  lock: ['host'],
  'windows-acl': ['host'],
  'own-file': ['errors', 'trusted-file'],
  'trusted-file': ['errors'],
  'config-values': ['api', 'duration', 'errors'],
  duration: ['errors'],
  api: ['api', 'errors'],
  local: ['local', 'api', 'errors', 'make-directory'],
  'make-directory': [],
  errors: [],
  host: [],
  version: [],
}

test('imports go one way: start → main → cli → api → errors, and local → api', () => {
  const wrong = ours.filter(({ from, to }) => !mayImport[layer(from)]?.includes(layer(to)))
  expect(wrong).toEqual([])
})

test('the embedded service imports only the contract from api', () => {
  const client = ['api/client.ts', 'api/transport.ts', 'api/retry.ts', 'api/refusal.ts']
  expect(ours.filter(({ from, to }) => layer(from) === 'local' && client.includes(to))).toEqual([])
})

test('cli imports the embedded service dynamically', () => {
  const fromCli = ours.filter(({ from, to }) => layer(from) === 'cli' && layer(to) === 'local')
  expect(fromCli.filter(({ dynamic, typeOnly }) => !dynamic && !typeOnly)).toEqual([])
})

test('the modules that every command loads do not import zod', () => {
  const withZod = ['api/openapi.ts', 'api/operations.ts', 'api/schemas.ts', 'api/webhooks.ts']
  const loads = imports.filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic)
  const ofSchema = ['errors.ts', 'own.ts', 'schemas.ts'].map((file) => `cli/describe/${file}`)
  expect([...new Set(loads.filter(({ to }) => to === 'zod').map(({ from }) => from))].sort()).toEqual([
    ...withZod,
    ...ofSchema,
  ])
  // These are loaded late themselves.
  const late = [...withZod, ...ofSchema, 'cli/live/webhook.ts']
  expect(loads.filter(({ from, to }) => withZod.includes(to) && !late.includes(from))).toEqual([])
})

test('only host.ts touches process', () => {
  const touching = files.filter((file) => /\bprocess\.|from 'node:process'/.test(code(file)))
  expect(touching).toEqual(['host.ts'])
})

test('no module prints except through the host', () => {
  expect(files.filter((file) => /\bconsole\./.test(code(file)))).toEqual([])
})

test('imports form no circle, not even of types', () => {
  const done = new Set<string>()
  const circleFrom = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const { to } of ours.filter(({ from }) => from === file)) {
      const circle = circleFrom(to, [...path, file])
      if (circle) return circle
    }
    done.add(file)
    return undefined
  }
  expect(files.flatMap((file) => circleFrom(file, []) ?? [])).toEqual([])
})

test('nothing reaches a terminal but through visible.ts: no other module calls a text visible', () => {
  expect(files.filter((file) => /\bas Visible\b/.test(code(file)))).toEqual(['cli/output/visible.ts'])
  // What libraries make of visible text.
  expect(files.filter((file) => /\bcomposed\(/.test(code(file))).sort()).toEqual([
    'cli/output/fit.ts',
    'cli/output/layout.ts',
    'cli/output/style.ts',
    'cli/output/table.ts',
    'cli/output/unicode.ts',
    'cli/output/visible.ts',
    'cli/output/width.ts',
  ])
  // Libraries that move the cursor, and take any text.
  expect(files.filter((file) => /\bhost\.prompt\b/.test(code(file))).sort()).toEqual(['cli/ask.ts'])
})

test('only make-directory.ts makes directories', () => {
  expect(files.filter((file) => /\bmkdir(Sync)?\(/.test(code(file)))).toEqual(['make-directory.ts'])
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
  const readers = ['api/readings.ts', 'api/retry-after.ts', 'cli/doctor/network.ts', 'cli/doctor/service.ts']
  const found = files.filter((file) => readFileSync(join(src, file), 'utf8').includes('Date.parse('))
  expect(found.sort()).toEqual([...readers, 'cli/operations/compare.ts'].sort())
})

test('hints and notices hold suggestions, printed with the flags of the run; only help texts spell commands out', () => {
  const helpTexts = ['program.ts', 'completion/scripts.ts', 'commands/complete.ts', 'commands/sessions.ts']
  const inHelp = (file: string) =>
    file.startsWith('cli/topics/') || helpTexts.some((name) => file === `cli/${name}`)
  const groups = readFileSync(join(src, 'cli/program.ts'), 'utf8').matchAll(/ name: '(\w+)'/g)
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
