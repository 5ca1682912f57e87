import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { load } from 'js-yaml'
import { expect, onTestFinished, test } from 'vitest'
import { readCommandLine } from '../../src/cli/kernel/command-line.ts'
import { runCommand } from '../helpers/command.ts'
import { readTopicFile } from '../helpers/documentation.ts'
import { startReceiver } from '../helpers/receiver.ts'
import { joinRoom, runServe } from '../helpers/run-serve.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { leaves } from '../helpers/tree.ts'

const text = readTopicFile('local')
const blocks = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, kind, body = '']) => ({ kind, body }))
const blockOf = (kind: string) => blocks.filter((block) => block.kind === kind).map(({ body }) => body)
const [unit = ''] = blockOf('ini')
const [dockerfile = ''] = blockOf('dockerfile')

async function checkCommand(words: readonly string[]): Promise<void> {
  const { operands } = readCommandLine(words)
  const found = (await leaves()).find(({ words }) => words.every((word, i) => operands[i] === word))
  expect(found, `the command of “${words.join(' ')}”`).toBeDefined()
  const known = found?.command.options.map(({ long }) => long) ?? []
  for (const word of words.filter((word) => word.startsWith('--'))) expect(known).toContain(word)
}

test('the systemd unit of the local topic has a stop timeout longer than the drain timeout', async () => {
  const [, line = ''] = /^ExecStart=\/usr\/bin\/env meetroom (.*)$/m.exec(unit) ?? []
  await checkCommand(line.split(' '))
  const seconds = (pattern: RegExp) => Number(pattern.exec(unit)?.[1])
  expect(seconds(/^TimeoutStopSec=(\d+)s$/m)).toBeGreaterThan(seconds(/--drain-timeout (\d+)s/))
})

test('the Dockerfile of the local topic runs an existing command on the exposed port', async () => {
  const [, command = '[]'] = /^CMD (.*)$/m.exec(dockerfile) ?? []
  const words: string[] = JSON.parse(command)
  await checkCommand(words)
  const [, port = ''] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? []
  expect(words).toContain(port)
  expect(dockerfile).toContain(`http://127.0.0.1:${port}/readyz`)
})

test('the compose file of the local topic has a stop timeout longer than the drain timeout', () => {
  const [, compose = ''] = blockOf('yaml')
  const { services } = load(compose) as any
  const words: string[] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]')
  expect(Object.keys(services)).toEqual([words[words.indexOf('--allow-host') + 1]])
  const drainSeconds = Number.parseInt(words[words.indexOf('--drain-timeout') + 1] ?? '', 10)
  expect(Number.parseInt(services.meetroom.stop_grace_period, 10)).toBeGreaterThan(drainSeconds)
})

test('the Docker health check of the local topic exits 0 for a ready service and 1 for a 503 response', async () => {
  const [, script = ''] = /CMD node -e "(.*)"$/m.exec(dockerfile) ?? []
  const check = async (origin: string) =>
    (await runCommand(process.execPath, ['-e', script.replace('http://127.0.0.1:4680', origin)], {})).code
  const { origin } = await serveHere()
  expect(await check(origin)).toBe(0)
  const other = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  expect(await check(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)).toBe(1)
})

test('the log lines in the local topic have the fields of the log lines of serve', async () => {
  const fieldsByEvent = (lines: string) =>
    Object.fromEntries(
      lines
        .trim()
        .split('\n')
        .map((line) => [JSON.parse(line).event, Object.keys(JSON.parse(line))]),
    )
  const { url } = await startReceiver()
  const { ready, createRoom, logged, stop, log } = await runServe(['--log-format', 'json'])
  await joinRoom(ready, await createRoom({ webhook: { url } }))
  await logged(/"webhook"/)
  await stop()
  expect(fieldsByEvent(blockOf('json')[0] ?? '')).toEqual(fieldsByEvent(log()))
})

test('the Prometheus configuration of the local topic reads the key file of the systemd unit', () => {
  const [prometheus = ''] = blockOf('yaml')
  const { scrape_configs } = load(prometheus) as any
  expect(scrape_configs[0].authorization.credentials_file).toBe('/var/lib/meetroom/api-key')
  expect(unit).toContain('MEETROOM_DATA_DIR=/var/lib/meetroom')
})
