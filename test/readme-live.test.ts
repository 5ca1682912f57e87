import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommand } from './helpers/built.ts'
import { tempDir } from './helpers/world.ts'

test('the “Live rooms” script of the README does what it says when pasted', {
  timeout: 60_000,
}, async () => {
  const readme = readFileSync('README.md', 'utf8')
  const [, script = ''] = /<!-- live -->\n```bash\n([\s\S]*?)```\n<!-- \/live -->/.exec(readme) ?? []
  const { code, stdout, stderr } = await runCommand('bash', ['-c', script], { HOME: tempDir() }, '', {
    patienceMs: 55_000,
  })
  const events = stdout.match(/"action":"\w+"/g)
  const lines = stdout.split('\n').filter((line) => !line.startsWith('{"action"'))
  expect({ code, stderr, events }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^joined room \w{24}; \^C leaves\nthe room is terminated\n$/),
    events: ['"action":"sessionJoined"', '"action":"sessionJoined"', '"action":"sessionLeft"'],
  })
  expect(lines).toEqual([
    'USER ID  STATUS',
    '───────  ──────',
    expect.stringMatching(/^(ada {6}|grace {4})online$/),
    expect.stringMatching(/^(ada {6}|grace {4})online$/),
    '{"event":"message","message":"Hello, both of you"}',
    '{"event":"message","message":"Hello, both of you"}',
    '{"error":{"code":"refused","message":"cannot join: blocked","retryable":false}}',
    'name          Demo',
    'status        terminated',
    'meeting_time  8',
    '',
  ])
})
