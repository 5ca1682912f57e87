import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { launcher, node, runBuilt } from '../helpers/built.ts'
import { allCalls, stays } from '../helpers/calls.ts'
import { type Finished, runCommand } from '../helpers/command.ts'
import { journalOf } from '../helpers/imports.ts'
import { canTrace, tracePaths } from '../helpers/syscalls.ts'
import { designed, stack } from '../helpers/terminal.ts'
import { counted, full, notice, sized } from './size.ts'

// The tested paths come from the system calls of a run, so that the tests cover new files.

const { add } = counted('hostile files')

// Replaces `tempDir`, because the global `onTestFinished` does not support concurrent tests.
const base = mkdtempSync(join(tmpdir(), 'meetroom-files-'))
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }))

interface Scenario {
  argv: string
  setup?: readonly string[]
  env?: Record<string, string>
  /** Input files that the user names: links are followed, and pipes are read to their end. */
  inputs?: readonly string[]
  /** Output files that the user names: links are followed. */
  outputs?: readonly string[]
  stays?: true
  quick?: true
}

const imports = '--local users import people.csv --if-exists overwrite --skip-invalid'
const school = '--local workspace apply school.yaml --yes'

const scenarios: readonly Scenario[] = [
  { argv: 'config set timeout 5', quick: true },
  { argv: `${imports} --failed-out failed.csv`, inputs: ['people.csv'], outputs: ['failed.csv'] },
  { argv: `${imports} --journal people.log`, inputs: ['people.csv'], quick: true },
  {
    argv: `${imports} --resume`,
    setup: [`${imports} --skip-invalid --journal ${journalOf('people.csv')}`],
    inputs: ['people.csv'],
  },
  {
    argv: '--local rooms import rooms.csv',
    setup: ['--local rooms import rooms.csv'],
    inputs: ['rooms.csv'],
  },
  { argv: school, inputs: ['school.yaml'], quick: true },
  { argv: school, setup: [school], inputs: ['school.yaml'] },
  { argv: '--local workspace adopt school.yaml', inputs: ['school.yaml'] },
  {
    argv: '--local workspace diff school.yaml --out plan.json',
    inputs: ['school.yaml'],
    outputs: ['plan.json'],
  },
  {
    argv: `${school} --plan plan.json`,
    setup: ['--local workspace diff school.yaml --out plan.json'],
    inputs: ['school.yaml', 'plan.json'],
  },
  { argv: '--local workspace export --out new.yaml' },
  { argv: '--local users delete ada --yes --save saved.ndjson' },
  { argv: '--local users delete ada --yes', env: { MEETROOM_SAVE_DELETED: 'saved' } },
  { argv: '--local users create alan', env: { MEETROOM_AUDIT_LOG: '{root}/work/audit.log' }, quick: true },
  { argv: '--local users create alan --data @user.json', inputs: ['user.json'] },
  { argv: '--local sessions report --all-rooms --html page.html', outputs: ['page.html'] },
  { argv: 'local backup copy.db --overwrite', outputs: ['copy.db'] },
  { argv: 'local restore copy.db --yes', setup: ['local backup copy.db'], inputs: ['copy.db'], quick: true },
  { argv: 'local reset --yes' },
  { argv: 'local tidy --keep 0 --yes', setup: ['local reset --yes'] },
  { argv: 'local seed seed.json --control control.json', inputs: ['seed.json', 'control.json'] },
  { argv: '__complete bash', env: { XDG_CACHE_HOME: '{root}/cache' } },
  { argv: 'doctor --local' },
  {
    argv: 'webhooks verify body.json --headers headers.txt --secret @secret.txt',
    inputs: ['body.json', 'headers.txt', 'secret.txt'],
  },
  {
    argv: 'serve --json --ephemeral --port 0 --control new.json --api-key-file key.txt',
    stays: true,
    inputs: ['key.txt'],
  },
  { argv: 'serve --json --port 0', stays: true, quick: true },
]

const workFiles: Record<string, string> = {
  'people.csv': 'user_id,name\nada,Ada\n,\n',
  'rooms.csv': 'name,type\nBiology,open\n',
  'school.yaml': 'rooms:\n  - { key: algebra, name: Algebra, type: private, members: [{ user_id: ada }] }\n',
  'user.json': '{"name":"Alan"}',
  'seed.json': '{"users":[{"user_id":"ada"}]}',
  'control.json': '{"control_url":"http://127.0.0.1:9","control_key":"k"}',
  'body.json': '{"action":"x"}',
  'headers.txt': 'webhook-id: a\n',
  'secret.txt': 'whsec_c2VjcmV0\n',
}

type Plant =
  | 'link to a file'
  | 'dangling link'
  | 'link to /dev/zero'
  | 'pipe'
  | 'directory'
  | 'read-only'
  | 'foreign'
const plants: readonly Plant[] = [
  ...(['link to a file', 'dangling link', 'link to /dev/zero', 'pipe', 'directory', 'read-only'] as const),
  ...(process.getuid?.() === 0 ? (['foreign'] as const) : []),
]
const foreignUser = 4711

/** Initial directory of every command, with settings and a workspace. */
const filled = (async () => {
  const root = join(base, 'filled')
  const env = { HOME: root, MEETROOM_CONFIG_DIR: join(root, 'config'), MEETROOM_DATA_DIR: join(root, 'data') }
  for (const line of ['--local users create ada', 'config set retries 1'])
    await runBuilt(line.split(' '), env)
  return root
})()

/** Directory with everything that a command touches, restored before each run. */
class Place {
  readonly #base = mkdtempSync(join(base, 'case-'))
  readonly root = join(this.#base, 'root')
  readonly work = join(this.root, 'work')
  readonly precious = join(this.#base, 'precious')
  readonly missing = join(this.#base, 'missing')
  readonly twin = join(this.#base, 'twin')
  readonly trace = join(this.#base, 'trace')
  readonly scenario: Scenario
  readonly #env: Record<string, string>

  constructor(scenario: Scenario) {
    this.scenario = scenario
    for (const name of ['work', 'config', 'tmp', 'cache'])
      mkdirSync(join(this.root, name), { recursive: true })
    for (const [name, text] of Object.entries(workFiles)) writeFileSync(join(this.work, name), text)
    const more = Object.entries(scenario.env ?? {})
    this.#env = {
      HOME: this.root,
      TMPDIR: join(this.root, 'tmp'),
      MEETROOM_CONFIG_DIR: join(this.root, 'config'),
      MEETROOM_DATA_DIR: join(this.root, 'data'),
      ...Object.fromEntries(more.map(([name, value]) => [name, value.replace('{root}', this.root)])),
    }
  }

  /** Returns options that stop a long-running command when it is ready. */
  get #options() {
    let isStopped = false
    const stop = (stdout: string) => {
      const [, pid] = /"pid":(\d+).*\n/.exec(stdout) ?? []
      if (pid !== undefined && !isStopped) process.kill(Number(pid), 'SIGTERM')
      isStopped ||= pid !== undefined
    }
    return { cwd: this.work, ...(this.scenario.stays && { onOutput: stop }) }
  }

  get #argv(): string[] {
    const words = this.scenario.argv.split(' ')
    return words[0] === '__complete' ? [...words, 'meetroom --local users get '] : words
  }

  async prepare(): Promise<void> {
    cpSync(await filled, this.root, { recursive: true })
    for (const line of this.scenario.setup ?? [])
      await runCommand(node, [launcher, ...line.split(' ')], this.#env, '', { cwd: this.work })
    cpSync(this.root, `${this.root}.saved`, { recursive: true, verbatimSymlinks: true })
  }

  restore(): void {
    for (const path of [this.root, this.precious, this.missing, this.twin])
      rmSync(path, { recursive: true, force: true })
    cpSync(`${this.root}.saved`, this.root, { recursive: true, verbatimSymlinks: true })
  }

  /**
   * Returns the paths that two runs both touch, because an attacker cannot prepare random names. A quick run
   * runs the command once, and omits paths that look random.
   */
  async touched(): Promise<string[]> {
    const runs: Set<string>[] = []
    for (let i = 0; i < sized(1, 2); i++) {
      this.restore()
      const options = { root: this.root, trace: this.trace, ...this.#options }
      runs.push(await tracePaths(this.#argv, this.#env, options))
    }
    const directories = ['work', 'config', 'tmp', 'cache'].map((name) => join(this.root, name))
    const isFixed = (path: string) =>
      runs[1]?.has(path) ?? !/[\da-f]{8}|\dT\d/.test(relative(this.root, path))
    return [...(runs[0] ?? [])].filter((path) => isFixed(path) && !directories.includes(path)).sort()
  }

  is(path: string, names: readonly string[] | undefined): boolean {
    return names?.some((name) => join(this.work, name) === path) === true
  }

  plant(path: string, plant: Plant): void {
    const isFile = existsSync(path) && statSync(path).isFile()
    const text = isFile ? readFileSync(path) : Buffer.from('planted\n')
    rmSync(path, { recursive: true, force: true })
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(this.precious, text)
    if (plant === 'link to a file') symlinkSync(this.precious, path)
    else if (plant === 'dangling link') symlinkSync(this.missing, path)
    else if (plant === 'link to /dev/zero') symlinkSync('/dev/zero', path)
    else if (plant === 'pipe') makePipe(path)
    else if (plant === 'directory') mkdirSync(path)
    else {
      linkSync(this.precious, path)
      linkSync(this.precious, this.twin)
      if (plant === 'foreign') chownSync(path, foreignUser, foreignUser)
      chmodSync(path, plant === 'foreign' ? 0o666 : 0o444)
    }
  }

  async run(path: string, plant: Plant): Promise<Finished> {
    const { inputs, outputs } = this.scenario
    // Shell command for the other end of a pipe that the user named.
    const other = this.is(path, inputs)
      ? ': > "$1"'
      : this.is(path, outputs)
        ? 'cat "$1" > /dev/null'
        : undefined
    const peer =
      plant === 'pipe' && other !== undefined
        ? spawn('sh', ['-c', other, 'sh', path], { stdio: 'ignore' })
        : undefined
    try {
      return await runCommand(node, [launcher, ...this.#argv], this.#env, '', this.#options)
    } finally {
      peer?.kill('SIGKILL')
    }
  }

  harm(path: string, plant: Plant, before: { text: Buffer; mode: number }): string[] {
    const isFollowed = this.is(path, this.scenario.outputs) || basename(path) === 'config.json'
    const harm: string[] = []
    // Only root may write to a read-only file.
    const isOwn = plant === 'read-only' && process.getuid?.() === 0
    if (!isFollowed && !isOwn && !readFileSync(this.precious).equals(before.text))
      harm.push('it changed the planted file')
    if (existsSync(this.missing)) harm.push('it created the target of a dangling link')
    if (plant === 'foreign') {
      const { uid, mode } = statSync(this.precious)
      if (uid !== foreignUser || mode !== before.mode)
        harm.push('it changed the owner or mode of a foreign file')
      const now = lstatSync(path, { throwIfNoEntry: false })
      if (now?.isFile() && now.ino !== statSync(this.precious).ino && (now.mode & 0o077) !== 0)
        harm.push('it wrote a file that others can read')
    }
    const drafts = readdirSync(this.root, { recursive: true, encoding: 'utf8' })
    for (const name of drafts) if (name.endsWith('.part')) harm.push(`it left ${name}`)
    return harm
  }
}

function makePipe(path: string): void {
  spawnSync('mkfifo', [path])
}

async function probe(place: Place, path: string, plant: Plant): Promise<string[]> {
  const { argv } = place.scenario
  place.restore()
  place.plant(path, plant)
  const before = { text: readFileSync(place.precious), mode: statSync(place.precious).mode }
  const at = `${argv} | ${plant} at ${relative(place.root, path)}: `
  add('commands')
  const ended = await place.run(path, plant).catch((error: Error) => error.message)
  if (typeof ended === 'string') return [`${at}${ended}`]
  const { code, stdout, stderr } = ended
  return [
    ...(designed.has(code ?? -1) ? [] : [`exit code ${code}: ${stderr}`]),
    ...(stack.test(stdout + stderr) ? [`a stack: ${stderr}`] : []),
    ...place.harm(path, plant, before),
  ].map((harm) => at + harm)
}

function choose<T>(cases: readonly T[], first: number): readonly T[] {
  return full ? cases : cases.filter((_, i) => i % 11 === first % 11).slice(0, 2)
}

if (process.getuid?.() !== 0) notice('hostile files', 'files of another user, because this is not root')

/** Other calls without file names; empty in a quick run. */
const others = full
  ? (await allCalls())
      .filter(
        (call) => !stays.test(call) && !/\.\w+\b|@|^(api|local|serve|cache|webhooks trigger)\b/.test(call),
      )
      // The program refuses placeholders before it opens a file.
      .map(
        (call): Scenario => ({ argv: `--local ${call.replace(/\b(ROOM|MEMBER|DELIVERY)\b/g, 'r1')} --yes` }),
      )
  : []

/** Commands that need not touch any file below `root`. */
const untouching = /^--local (config path|completion|__complete|version|help) /

test
  .runIf(canTrace)
  .concurrent.each(
    [...scenarios, ...others]
      .filter(({ quick }) => full || quick)
      .map((scenario, i) => [scenario.argv, scenario, i] as const),
  )('meetroom %s changes no other file through planted links or special files', async (_, scenario, i) => {
  const place = new Place(scenario)
  await place.prepare()
  const paths = await place.touched()
  if (!untouching.test(scenario.argv)) expect(paths.length).toBeGreaterThan(0)
  const cases = paths.flatMap((path) => plants.map((plant) => [path, plant] as const))
  const found: string[] = []
  for (const [path, plant] of choose(cases, i)) found.push(...(await probe(place, path, plant)))
  expect(found).toEqual([])
})
