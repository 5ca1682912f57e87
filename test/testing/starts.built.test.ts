import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'

test('an uncaught startService error prints lines of at most 250 characters', async () => {
  const start = `require(${JSON.stringify(resolve('dist/testing.cjs'))}).startService({ sed: {} })`
  const { code, stderr } = await runCommand(process.execPath, ['-e', start], {
    PATH: process.env['PATH'] ?? '',
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/MeetroomError\]?: startService has no option “sed”/)
  expect(stderr.split('\n').filter((line) => line.length > 250)).toEqual([])
})

const isFull = process.env['MEETROOM_TEST_FULL'] === '1'
const rounds = isFull ? 1000 : 25

/**
 * Program that repeatedly starts, uses and closes a service, and measures the resources after each fifth of
 * the rounds.
 */
const program = `
const { once } = require('node:events')
const { readdirSync, existsSync } = require('node:fs')
const http = require('node:http')
const { startService } = require(${JSON.stringify(resolve('dist/testing.cjs'))})
const { WebSocket } = require(${JSON.stringify(resolve('node_modules/ws'))})
const seed = {
  users: [{ user_id: 'ada' }],
  rooms: [{ id: 'r', name: 'R', type: 'open', webhook: { url: 'http://127.0.0.1:9/' } }],
}
async function round() {
  const service = await startService({ seed })
  service.faults.add({ operation: 'getRoom', delay: 1, status: 503 })
  const headers = { authorization: 'Bearer ' + service.apiKey }
  // Avoids a connection pool, which would keep resources for each port.
  const [response] = await once(http.get(service.baseUrl + '/rooms/r', { agent: false, headers }), 'response')
  await once(response.resume(), 'end')
  const socket = new WebSocket(service.baseUrl.replace('http', 'ws') + '/rooms/r/connect')
  await once(socket, 'message')
  await service.webhooks.next()
  service.clock.freeze()
  await service.clock.advance('1m')
  await service.reset()
  await service.close()
}
async function measure() {
  for (let i = 0; i < 4; i++) {
    gc()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const handles = process.getActiveResourcesInfo().filter((name) => !/^(Pipe|TTY|File)/.test(name))
  const files = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return { handles, files, listeners, heap: process.memoryUsage().heapUsed }
}
;(async () => {
  const measured = []
  for (let i = 1; i <= ${rounds}; i++) {
    await round()
    if (i % ${rounds / 5} === 0) measured.push(await measure())
  }
  console.log(JSON.stringify(measured))
})()
`

interface Measured {
  handles: string[]
  files: number
  listeners: number
  heap: number
}

test(`startService releases all resources in ${rounds} starts and closes`, {
  timeout: 600_000,
}, async () => {
  const { code, stdout, stderr } = await runCommand(
    process.execPath,
    ['--expose-gc', '--no-warnings', '-e', program],
    { PATH: process.env['PATH'] ?? '' },
    '',
    { patienceMs: isFull ? 600_000 : 60_000 },
  )
  expect(stderr).toBe('')
  expect(code).toBe(0)
  const [first, ...later] = JSON.parse(stdout) as [Measured, ...Measured[]]
  for (const { handles, files, listeners, heap } of later) {
    expect(handles).toEqual([])
    expect({ files, listeners }).toEqual({ files: first.files, listeners: first.listeners })
    expect(heap).toBeLessThan(first.heap * 1.15)
  }
})
