import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { posixTools } from './helpers/tools.ts'
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

const mayImport: Record<string, readonly string[]> = {
  main: ['cli', 'files', 'errors', 'host'],
  cli: [
    'cli',
    'client',
    'api',
    'config',
    'files',
    'help',
    'embedded',
    'duration',
    'hash',
    'errors',
    'host',
    'version',
  ],
  embedded: ['embedded', 'api', 'files', 'duration', 'errors'],
  testing: ['testing', 'embedded', 'api', 'files', 'duration', 'errors', 'host', 'version'],
  client: ['client', 'api', 'errors'],
  config: ['config', 'files', 'api', 'duration', 'errors', 'host'],
  files: ['files', 'errors', 'host'],
  api: ['api', 'errors'],
  help: [],
  duration: ['errors'],
  hash: [],
  errors: [],
  host: [],
  version: [],
}

test('each module of src imports only from its own layer or lower layers', () => {
  const wrong = ours.filter(({ from, to }) => !mayImport[layer(from)]?.includes(layer(to)))
  expect(wrong).toEqual([])
})

/** Layers of cli, from the top. */
const cliLayers = [
  ...['commands', 'shell', 'mistakes', 'workspace', 'backup', 'links', 'reports', 'targets', 'import'],
  ...[
    'names',
    'lists',
    'run',
    'kernel',
    'requests',
    'records',
    'filter',
    'matching',
    'help',
    'output',
    'calendar',
    'input',
  ],
]

test('each directory of src/cli imports only from itself and lower layers', () => {
  const cliLayer = (file: string) => file.split('/')[1] ?? ''
  const inCli = files.filter((file) => layer(file) === 'cli')
  expect(new Set(inCli.map(cliLayer))).toEqual(new Set(cliLayers))
  const wrong = ours.filter(
    ({ from, to }) =>
      layer(from) === 'cli' &&
      layer(to) === 'cli' &&
      cliLayers.indexOf(cliLayer(from)) > cliLayers.indexOf(cliLayer(to)),
  )
  expect(wrong).toEqual([])
})

test('src/cli imports the embedded service only dynamically or as types', () => {
  const fromCli = ours.filter(({ from, to }) => layer(from) === 'cli' && layer(to) === 'embedded')
  expect(fromCli.filter(({ dynamic, typeOnly }) => !dynamic && !typeOnly)).toEqual([])
})

test('source directories have no import cycles, including type and dynamic imports', () => {
  // Each file directly in src is a separate node; src as one node would be part of a cycle.
  const folder = (file: string) => (file.includes('/') ? dirname(file) : file)
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of ours)
    if (folder(from) !== folder(to))
      edges.set(folder(from), (edges.get(folder(from)) ?? new Set()).add(folder(to)))
  expect(findCycle(edges)).toEqual([])
})

test('src contains only a fixed set of top-level TypeScript files', () => {
  expect(files.filter((file) => dirname(file) === 'cli')).toEqual([])
  expect(files.filter((file) => dirname(file) === '.').sort()).toEqual([
    ...['duration.ts', 'errors.ts', 'hash.ts', 'host.ts', 'main.ts', 'version.ts'],
  ])
})

test('each command has a file named after the command', async () => {
  const fileOf = (words: readonly string[]) => {
    // The path of `__complete` has no underscores.
    const path = `cli/commands/${words.join('/').replace(/^_+/, '')}`
    const own = [`${path}.ts`, ...(words.length === 1 ? [`${path}/${words[0]}.ts`] : [])]
    return own.find((file) => files.includes(file))
  }
  const commands = (await leaves()).map(({ words }) => words)
  expect(commands.length).toBeGreaterThan(50)
  expect(commands.filter((words) => fileOf(words) === undefined)).toEqual([])
  // A group file lists its verbs, but does not define them.
  const groups = new Set(commands.filter(({ length }) => length > 1).map(([group]) => group))
  const groupFiles = files.filter((file) => groups.has(/^cli\/commands\/([^/]+)\/\1\.ts$/.exec(file)?.[1]))
  expect(groupFiles.length).toBeGreaterThan(5)
  expect(groupFiles.filter((file) => /\.command\(|\.act\(/.test(code(file)))).toEqual([])
})

test('only a fixed list of lazily loaded modules imports zod', () => {
  const withZod = ['api/openapi.ts', 'api/operations.ts', 'api/schemas.ts', 'api/webhooks.ts']
  const loads = imports.filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic)
  const ofSchema = [
    ...['cli/commands/schema/output-schemas.ts', 'cli/output/schemas/errors.ts'],
    ...['cli/output/schemas/printed.ts', 'cli/output/schemas/row-schema.ts'],
    ...['cli/workspace/plan-file.ts', 'cli/workspace/schema/schema.ts'],
    'embedded/control/seed-schema.ts',
  ]
  expect([...new Set(loads.filter(({ to }) => to === 'zod').map(({ from }) => from))].sort()).toEqual([
    ...withZod,
    ...ofSchema,
  ])
  // These modules are loaded only when a command needs them.
  const late = [...withZod, ...ofSchema, 'cli/commands/webhooks/webhook.ts']
  expect(loads.filter(({ from, to }) => withZod.includes(to) && !late.includes(from))).toEqual([])
})

test('CONTRIBUTING.md names only existing TypeScript files', () => {
  const text = readFileSync(resolve(src, '../.github/CONTRIBUTING.md'), 'utf8')
  const names = (part: string) => [...part.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
  const all = [...files, ...readdirSync(import.meta.dirname).map((file) => `test/${file}`)]
  const unknown = names(text).filter((name) => !all.some((file) => `/src/${file}`.endsWith(`/${name}`)))
  expect(unknown.filter((name) => !existsSync(resolve(src, '..', name)))).toEqual([])
  const table = text.split('## Where it is decided')[1]?.split('\n## ')[0] ?? ''
  expect(names(table).length).toBeGreaterThan(20)
  expect(names(table).filter((name) => !files.includes(name))).toEqual([])
})

test('only host.ts uses the process object', () => {
  const touching = files.filter((file) => /\bprocess\.|from 'node:process'/.test(code(file)))
  expect(touching).toEqual(['host.ts'])
})

test('no module of src uses console', () => {
  expect(files.filter((file) => /\bconsole\./.test(code(file)))).toEqual([])
})

test('source files have no import cycles, including type and dynamic imports', () => {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of ours) edges.set(from, (edges.get(from) ?? new Set()).add(to))
  expect(findCycle(edges)).toEqual([])
})

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

test('only a fixed list of modules marks text as safe for the terminal', () => {
  expect(files.filter((file) => /\bas Visible\b/.test(code(file)))).toEqual([
    'cli/output/terminal/visible.ts',
  ])
  expect(files.filter((file) => /\bmarkVisible\(/.test(code(file))).sort()).toEqual([
    'cli/output/formats/fit.ts',
    'cli/output/formats/table.ts',
    'cli/output/terminal/style.ts',
    'cli/output/terminal/unicode.ts',
    'cli/output/terminal/visible.ts',
    'cli/output/terminal/width.ts',
  ])
  // Prompt libraries move the cursor and print any text.
  expect(files.filter((file) => /\bhost\.prompt\b/.test(code(file))).sort()).toEqual(['cli/requests/ask.ts'])
})

test('only plural.ts chooses between singular and plural nouns', () => {
  expect(files.filter((file) => /=== 1 \? ['`]\w|\band \$\{[^}]*\} more\b/.test(code(file)))).toEqual([
    'api/plural.ts',
  ])
})

test('only bars.ts and progress.ts draw bars', () => {
  const drawing = files.filter((file) => /[▏▎▍▌▋▊▉█]|<rect class=/.test(code(file)))
  expect(drawing.sort()).toEqual(['cli/output/bars.ts', 'cli/run/progress.ts'])
})

test('only cli/run and a fixed list of modules run batches of requests', () => {
  const outside = files.filter((file) => dirname(file) !== 'cli/run')
  const opensClient = /\bclient\(\{[^}]*\bconnections\b/
  expect(outside.filter((file) => opensClient.test(code(file)))).toEqual([])
  // The other two modules limit a parsed number and the work of a query.
  const compares = /(?<!=)[<>]=? (?:flags\.|targets\.)?max\b|--max allows/
  expect(files.filter((file) => layer(file) === 'cli' && compares.test(code(file))).sort()).toEqual([
    ...['cli/input/input.ts', 'cli/output/formats/query.ts', 'cli/run/confirm-items.ts'],
  ])
  expect(outside.filter((file) => /\bnew Run\(|\.ending\(/.test(code(file)))).toEqual([])
  expect(outside.filter((file) => /\bisFatal\b/.test(code(file)))).toEqual(['client/outcome.ts'])
  // These modules combine steps of different kinds in one run.
  expect(outside.filter((file) => /\bprintRun\(/.test(code(file))).sort()).toEqual([
    ...['cli/commands/users/offboard/run-offboarding.ts', 'cli/workspace/apply-workspace.ts'],
  ])
  // These modules only read.
  expect(outside.filter((file) => /\bmapAhead\(/.test(code(file))).sort()).toEqual([
    'cli/commands/sessions/watch/room-poller.ts',
    'cli/links/user-access.ts',
    'cli/lists/full-records.ts',
  ])
  const parts = ['confirm-items', 'map-ahead', 'print-all', 'print-run', 'run', 'tally']
  const used = imports.filter(({ from, to }) => dirname(to) === 'cli/run' && dirname(from) !== 'cli/run')
  expect([...new Set(used.map(({ to }) => to))].sort()).toEqual(parts.map((part) => `cli/run/${part}.ts`))
})

test('only request.ts imports a module of output/redaction other than redaction.ts', () => {
  const folder = 'cli/output/redaction'
  const inside = imports.filter(({ from, to }) => dirname(to) === folder && dirname(from) !== folder)
  expect(inside.length).toBeGreaterThan(20)
  const others = inside.filter(({ to }) => to !== `${folder}/redaction.ts`)
  expect(others.map(({ from, to }) => [from, to])).toEqual([
    ['cli/requests/request.ts', `${folder}/requests.ts`],
  ])
  // These modules define secretFields, or exclude secret fields from `--count-by`.
  const knowing = files.filter((file) => dirname(file) !== folder && code(file).includes('secretFields'))
  expect(knowing.sort()).toEqual(['api/resources.ts', 'cli/lists/count.ts', 'cli/shell/candidates.ts'])
})

test('only modules of output/views declare views', () => {
  // Derived views spread a view that has a noun.
  const declaring = files.filter((file) => /\bnoun: (?!Noun\b|readonly\b|string\b)/.test(code(file)))
  expect(declaring.filter((file) => dirname(file) !== 'cli/output/views')).toEqual([])
})

test('only a fixed list of modules compares names and emails of items', () => {
  const matcher = 'cli/matching/match.ts'
  const having = (pattern: RegExp) => files.filter((file) => pattern.test(code(file))).sort()
  expect(having(/\.normalize\('NF/)).toEqual([
    ...['cli/import/read/lookalikes.ts', matcher, 'cli/workspace/export-workspace.ts', 'client/compare.ts'],
  ])
  expect(having(/\bfoldText\(|\.localeCompare\(/)).toEqual(['cli/filter/search.ts', matcher])
  // This module detects that a room was renamed.
  const comparing = having(/\w(\.|\[')(name|email)('\])? [!=]== (?!undefined|null|['\d])/)
  expect(comparing.filter((file) => layer(file) === 'cli')).toEqual([
    'cli/commands/sessions/watch/room-view.ts',
  ])
  // The import checks only whether the filtered list is empty.
  expect(having(/call\('listRooms', \{ query: \{ name\b/)).toEqual([
    ...['cli/import/adapters/rooms.ts', 'cli/names/item-finder.ts'],
  ])
})

test('only read-list.ts and paginate-any.ts paginate lists', () => {
  const importers = (module: string) =>
    [...new Set(ours.filter(({ to }) => to === module).map(({ from }) => from))].sort()
  const readers = ['cli/lists/paginate-any.ts', 'cli/lists/read-list.ts']
  expect(importers('cli/lists/paging/paginate.ts')).toEqual(readers)
  expect(importers('cli/lists/paging/pass.ts')).toEqual([
    'cli/lists/paging/paginate.ts',
    'cli/lists/paging/whole.ts',
  ])
  const inCli = files.filter((file) => layer(file) === 'cli')
  const paging = inCli.filter((file) => /query: \{ \.\.\.\w+, \.\.\.pag(e|ing) \}/.test(code(file)))
  expect(paging.sort()).toEqual([...readers, 'cli/lists/paging/proven-total.ts'].sort())
  // These calls request only the first page.
  expect(inCli.filter((file) => /\b(call|find)\(\s*'list/.test(code(file))).sort()).toEqual([
    ...['cli/commands/auth/login.ts', 'cli/commands/auth/status.ts'],
    ...['cli/commands/message/send.ts', 'cli/commands/rooms/wait/service.ts'],
    ...['cli/commands/webhooks/stored-deliveries.ts', 'cli/import/adapters/rooms.ts'],
    ...['cli/import/export.ts', 'cli/links/run-links.ts'],
    ...['cli/names/item-finder.ts', 'cli/reports/report.ts'],
  ])
})

test('the exported types of src/cli have unique names', () => {
  const exported = files
    .filter((file) => layer(file) === 'cli')
    .flatMap((file) => [...code(file).matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm)])
    .map(([, name]) => name)
  expect(exported.length).toBeGreaterThan(100)
  expect(exported.filter((name, i) => exported.indexOf(name) !== i)).toEqual([])
})

test('only make-directory.ts creates directories', () => {
  expect(files.filter((file) => /\bmkdir(Sync)?\(/.test(code(file)))).toEqual(['files/make-directory.ts'])
})

test('only records.ts reads and changes single users, rooms and members', () => {
  const sending = /\b(call\(\s*'(create|add|update|delete)|find\(\s*'get)(User|Room|Member)'/
  expect(files.filter((file) => layer(file) === 'cli' && sending.test(code(file)))).toEqual([])
  const tables = /: '(createUser|createRoom|addMember)', update:/
  expect(files.filter((file) => tables.test(code(file)))).toEqual(['cli/records/records.ts'])
})

test('only membership-plan.ts decides whether a member is added, changed or kept', () => {
  const comparing = files.filter((file) => /\bshowsValues\(|'already a member/.test(code(file)))
  expect(comparing.sort()).toEqual(['cli/records/membership-plan.ts', 'cli/records/shown-values.ts'])
  // No module may select an arbitrary unblocked membership, because the effective membership must be chosen.
  expect(files.filter((file) => /\.find\(\(?\w+\)? => !isBlocked/.test(code(file)))).toEqual([])
})

test('only modules of src/files open, create and rename files', () => {
  const opening =
    /\b(open|readFile|writeFile|appendFile|copyFile|rename|link|symlink|create(Read|Write)Stream)(Sync)?\b/
  const fromFs = (file: string) => {
    const found = code(file).matchAll(/\{([^}]*)\} (?:from|= await import\() ?'node:fs(?:\/promises)?'/g)
    return [...found].some(([, names = '']) => opening.test(names))
  }
  const isWhole = (file: string) => /\* as \w+ from 'node:fs|import fs/.test(code(file))
  expect(files.filter((file) => layer(file) !== 'files' && (fromFs(file) || isWhole(file)))).toEqual([])
})

test('only host.ts and a fixed list of modules of src/files write to open files', () => {
  const writing = /\bFileHandle\b|\b(f?writev?|f?data?sync|f?truncate|chown|chmod)Sync\b|\bdatasync\b/
  expect(files.filter((file) => writing.test(code(file))).sort()).toEqual([
    ...['files/append-file.ts', 'files/create-file.ts', 'files/draft.ts', 'files/output-file.ts'],
    // Writes to standard output and standard error.
    'host.ts',
  ])
  // `conf` writes the settings file.
  expect(imports.filter(({ to }) => to === 'conf').map(({ from }) => from)).toEqual(['config/writer.ts'])
})

test('only rows.ts imports csv-parse', () => {
  expect(imports.filter(({ to }) => to === 'csv-parse').map(({ from }) => from)).toEqual([
    'cli/import/read/rows.ts',
  ])
})

test('only a fixed list of modules contains messages of file errors', () => {
  const wording = /\} cannot be (read|written|stored|used): \$\{/
  expect(files.filter((file) => wording.test(code(file))).sort()).toEqual([
    // The other two modules describe a lock file and a failed backup.
    ...['cli/workspace/lock/lock-format.ts', 'embedded/backups/back-up.ts'],
    'files/file-errors.ts',
  ])
  // Some system errors concern ports, programs, standard output or the local workspace.
  expect(files.filter((file) => /\bdescribeSystemError\b/.test(code(file))).sort()).toEqual([
    ...['cli/commands/serve/environment.ts', 'cli/commands/shared/listening.ts'],
    ...['cli/commands/webhooks/webhook-listener.ts', 'cli/output/printer.ts', 'cli/requests/key-command.ts'],
    ...['embedded/common/faults.ts', 'files/file-errors.ts', 'files/system-error.ts', 'files/windows-acl.ts'],
    'testing/testing.ts',
  ])
})

test('no module uses URL.canParse, which fails on Latin-1 text in Node 20', () => {
  expect(files.filter((file) => /\bcanParse\b/.test(code(file)))).toEqual([])
})

test('modules declare no mutable top-level variables', () => {
  expect(files.filter((file) => /^(export )?let /m.test(code(file)))).toEqual([])
})

function code(file: string): string {
  return readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
}

test('template literals with the tag “own” contain only ASCII', () => {
  const wrong = files.filter((file) => /\bown`[^`]*[^\n -~`]/.test(code(file)))
  expect(wrong).toEqual([])
})

test('only a fixed list of modules calls Date.parse', () => {
  // The other modules parse HTTP dates and the end of a certificate.
  const readers = [
    ...['api/readings.ts', 'client/retry-policy.ts'],
    ...['cli/commands/doctor/network.ts', 'cli/commands/doctor/service.ts'],
  ]
  const found = files.filter((file) => readFileSync(join(src, file), 'utf8').includes('Date.parse('))
  expect(found.sort()).toEqual(readers.sort())
})

test('only a fixed list of modules contains literal meetroom commands', () => {
  // These modules contain help texts, completion scripts, the version, and titles of schemas.
  const helpTexts = [
    ...[
      'commands/complete.ts',
      'commands/doctor/examination.ts',
      'commands/help.ts',
      'commands/program.ts',
      'commands/schema/output-schemas.ts',
    ],
    ...['commands/sessions/watch.ts', 'help/render-markdown.ts', 'shell/scripts.ts'],
  ]
  const groups = readFileSync(join(src, 'cli/commands/groups.ts'), 'utf8').matchAll(/ name: '(\w+)'/g)
  const words = [...groups].map(([, name]) => name).join('|')
  const named = new RegExp(`meetroom (?:--?\\w|\\$\\{|(?:${words})\\b)`)
  const examples = /addExamples\([\s\S]*?\n {2}\)\n|addExamples\(.*\)\n|\bexamples: \[[\s\S]*?\],\n/g
  const speaking = files.filter((file) => named.test(code(file).replace(examples, '')))
  expect(speaking.sort()).toEqual(helpTexts.map((name) => `cli/${name}`))
  expect(files.filter((file) => /\['meetroom',/.test(code(file)))).toEqual(['cli/output/hint-text.ts'])
})

test('test files that start the built program are named *.built.test.ts, except in suites', () => {
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

test('each test directory matches a directory of src, except a fixed list', () => {
  const own = ['bench', 'bin', 'build', 'fixtures', 'helpers', 'suites']
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.test.ts'),
  )
  const folders = new Set(tests.map(dirname))
  expect(folders.size).toBeGreaterThan(30)
  const strange = [...folders].filter(
    (folder) => !own.includes(folder.split('/')[0] ?? '') && !existsSync(join(src, folder)),
  )
  expect(strange).toEqual([])
})

test('test files check for the external programs they run, except npm and POSIX tools', () => {
  const paths = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const unchecked = paths
    .filter((path) => path.endsWith('.ts') && !path.startsWith('bench/'))
    .flatMap((path) => {
      const text = readFileSync(join(import.meta.dirname, path), 'utf8')
      const run = text.matchAll(
        /\b(?:spawn|execFile|execFileSync|runCommand|startProgram)\(\s*'(?:\/bin\/)?([\w-]+)'/g,
      )
      const programs = new Set([...run].map(([, program = '']) => program))
      const known = ['npm', ...posixTools]
      // The result of `spawnSync` reports that a program is missing.
      const isChecked = (program: string) =>
        text.includes(`hasTool('${program}'`) || text.includes(`spawnSync('${program}'`)
      return [...programs]
        .filter((program) => !known.includes(program) && !isChecked(program))
        .map((program) => `${path}: ${program}`)
    })
  expect(unchecked).toEqual([])
})
