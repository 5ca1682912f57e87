// Peer of `meetroom serve` in bench:writes. Commits rooms durably, and checks no input.
import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadSqlite } from '../../src/embedded/store/sqlite.ts'

const open = await loadSqlite((load) => load())
const db = open(process.argv[2] ?? '')
db.exec('PRAGMA synchronous = FULL')
const begin = db.prepare('BEGIN IMMEDIATE')
const commit = db.prepare('COMMIT')
const insert = db.prepare(
  `INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at)
   VALUES (?, ?, ?, 'default', 0, ?, ?)`,
)

const headers = { 'content-type': 'application/json; charset=utf-8' }
let batch: { response: ServerResponse; text: string }[] = []

function write(response: ServerResponse, body: string): void {
  if (batch.length === 0) {
    begin.run()
    setImmediate(flush)
  }
  const now = Date.now()
  const { type, name } = JSON.parse(body)
  const id = now.toString(16).padStart(12, '0') + randomBytes(6).toString('hex')
  insert.run(id, type, name, now, now)
  const at = new Date(now).toISOString()
  const room = { id, type, name, layout: 'default', record: false, created_at: at, updated_at: at }
  batch.push({ response, text: JSON.stringify({ room }) })
}

function flush(): void {
  commit.run()
  const written = batch
  batch = []
  for (const { response, text } of written)
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
}

const server = createServer((request, response) => {
  let body = ''
  request
    .setEncoding('utf8')
    .on('data', (text) => {
      body += text
    })
    .on('end', () => write(response, body))
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
