import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readSamples, topicNames } from '../helpers/documentation.ts'
import type { TestHost } from '../helpers/host.ts'
import { createSampleWorld } from '../helpers/sample-world.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { runLine } from '../helpers/shell.ts'

type Table<T> = readonly (readonly [RegExp, T])[]

/** Markers of blocks, and the tests that run the blocks. */
const marks: Readonly<Record<string, string>> = {
  run: 'examples.test.ts',
  'run webhooks': 'webhooks.test.ts',
  session: 'workspace.test.ts',
  term: 'attendance.test.ts',
  watch: 'watch.test.ts',
  login: 'ask.test.ts',
  live: 'live.built.test.ts',
}

/** Excerpts of other blocks, and the tests that run the blocks. */
const scripts: Table<string> = [
  [/runs-on: ubuntu-latest|matrix\.shard|make_room\(\)|15 6 \* \* 2-6/, 'ci.built.test.ts'],
  [/--api-key-file "\$key"/, 'live.built.test.ts'],
  [/docker (?:run|build)/, 'container.built.test.ts'],
  [/@args/, 'powershell.test.ts'],
  [/<Tab>/, 'completion-shells.built.test.ts'],
  [/ExecStart=/, 'service.test.ts'],
]

/** Reasons why commands are not run here. */
const notRun: Table<string> = [
  [/--local …/, 'stands for any command'],
  [/^meetroom (?:api DELETE|rooms get)$/, 'the beginning of a command'],
  [/^npm ci|^RUN npm|^docker compose|^sudo/, 'needs another program'],
  [/^meetroom auth login$/, 'asks on a terminal: ask.test.ts'],
  [/auth login .*--key-command/, 'needs a password manager; key-command.test.ts reads it'],
  [/sessions watch '/, 'runs until it is stopped: watch.test.ts'],
  [/meetroom join /, 'needs WebSockets: join.test.ts'],
  [/rooms open /, 'needs a browser: open.test.ts'],
  [/serve --print-env/, 'needs a served workspace: live.built.test.ts'],
  [/--local rooms link /, 'needs a served workspace: open.test.ts'],
  [/--control control\.json/, 'needs a served workspace: control.test.ts'],
  [/before-upgrade-from-schema-N/, 'needs the copy of an upgrade: upgrade.test.ts'],
]

/** Documented exit codes other than 0. */
const exits: Table<readonly [code: number, why: string]> = [
  [/--for 'online>=1'/, [9, 'nobody joins the room']],
  [/workspace\.md: meetroom workspace diff school\.yaml/, [9, 'the workspace differs from the file']],
  [/workspace apply school\.yaml --plan plan\.json/, [10, 'asks for confirmation']],
]

const longRunning = /^meetroom (?:serve|webhooks listen)\b/

const find = <T>(table: Table<T>, text: string): T | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1]

const root = resolve(import.meta.dirname, '../..')
// The changelog names commands of former versions, and the reference is generated from the command tree.
const topics = topicNames.filter((name) => !['changes', 'reference'].includes(name))
const files = ['README.md', ...topics.map((name) => `src/help/${name}.md`)]

interface Result {
  line: string
  code: number | undefined
  note?: string | undefined
}

async function runCommands(
  file: string,
  commands: readonly string[],
  more: Record<string, string>,
): Promise<Result[]> {
  const { world, fillIn, ...sample } = await createSampleWorld(more)
  const env: Record<string, string | undefined> = { ...sample.env }
  // `meetroom local` needs a local workspace.
  if (commands.some((line) => line.includes('meetroom local ')))
    await runLine(world, 'meetroom --local users create ada', { env })
  // The documentation sets the log with `export`, which is not a command of this program.
  if (commands.some((line) => line.includes('audit list'))) {
    env['MEETROOM_AUDIT_LOG'] = join(world.dir, 'audit.ndjson')
    await runLine(world, 'meetroom users update ada --name Ada', { env })
  }
  const results: Result[] = []
  for (const line of commands) {
    const reason = find(notRun, line)
    if (reason !== undefined) {
      results.push({ line, code: undefined, note: reason })
      continue
    }
    const [code, note] = find(exits, `${file}: ${line}`) ?? [0]
    // `doctor` connects to the base URL itself.
    const served = line.includes('doctor') && {
      MEETROOM_BASE_URL: (await serveHere()).baseUrl,
      MEETROOM_API_KEY: world.apiKey,
    }
    const options = { env: { ...env, ...served }, ...(longRunning.test(line) && { started: stopWhenReady }) }
    const run = await runLine(world, withFreePort(fillIn(line)), options)
    expect({ line, code: run.code, stderr: run.stderr }).toEqual({
      line,
      code,
      stderr: code === 0 ? expect.not.stringMatching(/^error:/m) : expect.any(String),
    })
    // An empty list would not prove that its conditions work.
    if (!/config (?:un)?set/.test(line)) expect(run.stdout + run.stderr, line).not.toBe('')
    results.push({ line, code, note })
  }
  return results
}

function withFreePort(line: string): string {
  return longRunning.test(line) ? line.replace(/ --port \d+|$/, ' --port 0') : line
}

function stopWhenReady(host: TestHost): void {
  const output = () => host.stdout.text + host.stderr.text
  void expect
    .poll(output, { timeout: 20_000 })
    .toMatch(/press \^C to stop|"ready"/)
    .then(() => host.signal('SIGINT'))
}

const results = new Map<string, Result[]>()

test.each(files)('each runnable command in %s exits with the documented code', async (file) => {
  const samples = readSamples(readFileSync(resolve(root, file), 'utf8'))
  const named = samples.flatMap(({ mark, text }) =>
    mark.startsWith('file ') ? [[mark.slice('file '.length), text]] : [],
  )
  if (file.includes('recipes')) named.push(['people.csv', 'user_id,Full name\nemmy,Emmy\n'])
  const found: Result[] = []
  for (const { mark, text, commands } of samples) {
    if (commands.length === 0) continue
    const note = marks[mark] ?? find(scripts, text)
    const isBlock = text.includes('\n')
    found.push(
      ...(note === undefined
        ? await runCommands(file, commands, isBlock ? Object.fromEntries(named) : {})
        : commands.map((line) => ({ line, code: undefined, note }))),
    )
  }
  results.set(file, found)
})

test('each test file that is named for an omitted command exists', () => {
  const notes = [...Object.values(marks), ...[...scripts, ...notRun].map(([, note]) => note)].join(' ')
  const known = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).map((path) =>
    basename(path),
  )
  for (const [name] of notes.matchAll(/\S+\.test\.ts/g)) expect(known).toContain(name)
})

test('the list of documented commands and their exit codes matches the snapshot', async () => {
  const sections = [...results].flatMap(([file, found]) => {
    const lines = found.map(({ line, code, note }) => `${code ?? '-'}  ${line}${note ? `  # ${note}` : ''}`)
    return found.length === 0 ? [] : [[file, ...new Set(lines), ''].join('\n')]
  })
  await expect(sections.join('\n')).toMatchFileSnapshot('../fixtures/documented-commands.txt')
})
