import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launcher, node } from '../helpers/built.ts'
import { runCommand } from '../helpers/command.ts'
import { runHere } from '../helpers/run-here.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { canTrace } from '../helpers/syscalls.ts'
import { tempDir } from '../helpers/world.ts'

test.runIf(canTrace).each([
  ['--save file', 'users delete ada grace --yes --save undo.ndjson', 'undo.ndjson', /"DELETE /],
  ['audit log', 'users delete ada --yes', 'audit.ndjson', /"DELETE /],
  ['journal', 'users import people.ndjson --journal people.journal', 'people.journal', /"POST /],
])(
  'a new %s and its directory are synced to disk before the first write request',
  async (_, line, file, request) => {
    const { baseUrl, apiKey } = await serveHere()
    const dir = tempDir()
    const env = { HOME: dir, MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey }
    const run = (command: string, argv: readonly string[], more = {}) =>
      runCommand(command, argv, { ...env, ...more }, '', { cwd: dir })
    for (const user of ['ada', 'grace']) await runHere(['users', 'create', user], { env })
    writeFileSync(join(dir, 'people.ndjson'), '{"user_id":"joan"}\n')
    const trace = join(dir, 'trace.txt')
    const calls = 'trace=write,writev,pwrite64,sendto,sendmsg,fsync,fdatasync'
    const tracing = ['-f', '-y', '-s', '64', '-o', trace, '-e', calls, node, launcher, ...line.split(' ')]
    const log = file === 'audit.ndjson' ? { MEETROOM_AUDIT_LOG: join(dir, file) } : {}
    expect((await run('strace', tracing, log)).code).toBe(0)

    const lines = readFileSync(trace, 'latin1').split('\n')
    const at = (pattern: RegExp) => lines.findIndex((text) => pattern.test(text))
    const sent = at(request)
    const written = at(new RegExp(`write(?:64)?\\(\\d+<[^>]*${file}>`))
    const isSynced = (text: string, i: number) =>
      i > written && i < sent && /f(?:data)?sync(\(\d+<[^>]*| resumed>).*= 0$/.test(text)
    expect(written).toBeGreaterThan(0)
    expect(lines.filter(isSynced).length).toBeGreaterThanOrEqual(2)
    const directory = at(new RegExp(`fsync\\(\\d+<${dir}>`))
    expect(directory).toBeGreaterThan(written)
    expect(directory).toBeLessThan(sent)
  },
)
