import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBuilt } from '../helpers/built.ts'
import { allCalls, filesOf, stays } from '../helpers/calls.ts'
import { type KeyShape, keyShapes, spellings, tracesOf } from '../helpers/canary.ts'
import { journalOf } from '../helpers/imports.ts'
import { listen } from '../helpers/listen.ts'
import { homes, startBuilt } from '../helpers/serving.ts'
import { counted, full, notice } from './size.ts'

const { add } = counted('canary')
const showsProcesses = existsSync('/proc/self/cmdline')
if (!showsProcesses) notice('canary', 'there is no /proc here to see the arguments of processes in')

/** Returns the arguments of processes, as `ps` shows them; empty without /proc. */
function allArguments(): string {
  if (!showsProcesses) return ''
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.map(argumentsOf).join('\n')
}

function argumentsOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    // The process has ended.
    return ''
  }
}

/**
 * Starts a service that repeats the key in its responses. `seen` contains the requests without their
 * `authorization` headers, and the arguments of all processes during each request.
 */
async function echoingService() {
  const seen: string[] = []
  const state = { key: '', status: 400, answers: true }
  const server = createServer((request, response) => {
    const { authorization, ...headers } = request.headers
    seen.push(allArguments(), `${request.method} ${request.url} ${JSON.stringify(headers)}`)
    request.on('data', (chunk) => seen.push(String(chunk)))
    if (!state.answers) return
    const said = spellings.map((spell) => spell(state.key)).join(' ')
    response.writeHead(state.status, `Sorry ${state.key}`, {
      ...{ 'content-type': 'application/json', 'retry-after': '0', 'x-key': state.key },
      'set-cookie': `key=${state.key}`,
    })
    response.end(JSON.stringify({ error: { code: state.key, message: said }, [state.key]: said }))
  })
  return { seen, state, baseUrl: `http://127.0.0.1:${await listen(server)}/v1` }
}

function createHome() {
  const env = homes()
  const file = (name: string, text: string) => writeFileSync(join(env.HOME, name), text)
  file('rooms.csv', 'name,type\nnew,open\n')
  file('users.csv', 'user_id\nnew\n')
  file('members.csv', 'user_id\ngrace\n')
  file('headers.txt', 'content-type: application/json\n')
  file('body.json', '{}')
  return { ...env, XDG_CACHE_HOME: '' }
}

/** Returns the names and texts of all files below a directory, without the values of `api_key`. */
const leftIn = (dir: string) =>
  Object.entries(filesOf(dir))
    .map(([name, text]) => `${name}\n${text.replace(/"api_key": ?"(?:[^"\\]|\\.)*"/g, '')}`)
    .join('\n')

const sendable = (Object.keys(keyShapes) as KeyShape[]).filter((name) => !/no header|blanks/.test(name))
const calls = (await allCalls()).filter((call) => !stays.test(call))
const statuses = [400, 401, 404, 429, 500, 502]

test('the built program redacts the key in output, process arguments and files', {
  timeout: full ? 3_600_000 : 90_000,
}, async () => {
  const { seen, state, baseUrl } = await echoingService()
  const env = createHome()
  for (const [i, call] of calls.entries()) {
    if (!full && i % 26 !== 3) continue
    const key = keyShapes[sendable[i % sendable.length] ?? 'usual']()
    Object.assign(state, { key, status: statuses[i % statuses.length] })
    seen.length = 0
    const argv = [...call.split(' '), '--yes', '--verbose', ...(i % 2 === 0 ? ['--json'] : [])]
    const service = { MEETROOM_API_KEY: key, MEETROOM_BASE_URL: baseUrl, MEETROOM_RETRIES: '1' }
    const known = { ...env, ...service, MEETROOM_AUDIT_LOG: join(env.HOME, 'audit.ndjson') }
    const { stdout, stderr } = await runBuilt(argv, known, key, { cwd: env.HOME })
    const places = { stdout, stderr, 'ps and the service': seen.join('\n'), files: leftIn(env.HOME) }
    const find = tracesOf(key)
    for (const [place, text] of Object.entries(places))
      expect(find(text), `${call}: ${place}\n${text}`).toEqual([])
    add('runs of the built program')
  }
  expect(calls.length).toBeGreaterThan(40)
})

test.each(full ? sendable : sendable.slice(0, 1))(
  'a killed users import stores no key in a file (key shape: %s)',
  async (shape) => {
    const { seen, state, baseUrl } = await echoingService()
    const env = createHome()
    const key = keyShapes[shape]()
    Object.assign(state, { key, answers: false })
    const rows = Array.from({ length: 50 }, (_, i) => `u${i}\n`).join('')
    writeFileSync(join(env.HOME, 'users.csv'), `user_id\n${rows}`)
    const argv = ['users', 'import', 'users.csv', '--if-exists', 'overwrite', '--failed-out', 'failed.csv']
    const running = startBuilt(argv, { ...env, MEETROOM_API_KEY: key, MEETROOM_BASE_URL: baseUrl }, env.HOME)
    while (!seen.some((line) => line.startsWith('POST'))) await new Promise((turn) => setTimeout(turn, 5))
    running.child.kill('SIGKILL')
    await running.ended()
    const find = tracesOf(key)
    expect(filesOf(env.HOME)[journalOf('users.csv')]).toContain('"sent":')
    expect(find(leftIn(env.HOME))).toEqual([])
    expect(find(seen.join('\n'))).toEqual([])
    expect(find([...running.stdout.all, ...running.stderr.all].join('\n'))).toEqual([])
    add('kills')
  },
)
