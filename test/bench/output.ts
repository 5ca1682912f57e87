// 10,000 rooms, or as many as are named, in each output format, beside curl and jq on the same service. Run with:
// npm run bench:output [-- RUNS [ROOMS]]
import { spawnSync } from 'node:child_process'
import { launcher, send, startService } from './served.ts'

const runs = Number(process.argv[2] ?? 7)
const rooms = Number(process.argv[3] ?? 10_000)
const served = await startService()
for (let i = 0; i < rooms; i += 100)
  await Promise.all(
    Array.from({ length: 100 }, (_, j) =>
      send(served, 'POST', '/rooms', { name: `Room ${i + j}`, type: 'open' }),
    ),
  )
const env = { ...process.env, MEETROOM_BASE_URL: served.baseUrl, MEETROOM_API_KEY: served.apiKey }
const meetroom = `${process.execPath} ${launcher} rooms list --page-size 1000`
// The service returns at most 1,000 rooms: curl needs several requests, which it sends over one connection.
const curl = (page: number) =>
  `curl -s -H "Authorization: Bearer $MEETROOM_API_KEY" "${served.baseUrl}/rooms?limit=${page}&offset=[0-${rooms - page}:${page}]" | jq -c '.rooms[]'`
const commands = {
  'curl | jq -c, by 1000': curl(1000),
  'curl | jq -c, by 100': curl(100),
  '--json': `${meetroom} --all --json`,
  '-o ndjson': `${meetroom} --all -o ndjson`,
  'csv, all': `${meetroom} --all -o csv`,
  'csv, 1,000': `${meetroom} --limit 1000 -o csv`,
  'csv, 100': `${meetroom} --limit 100 -o csv`,
  'table, all': `${meetroom} --all`,
  'table, 1,000': `${meetroom} --limit 1000`,
  'table, 100': `${meetroom} --limit 100`,
}

function run(command: string): number {
  const began = performance.now()
  const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', `${command} | cat > /dev/null`], {
    env,
  })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
  return performance.now() - began
}

const times = Object.entries(commands).map(([what, command]) => ({ what, command, ms: [] as number[] }))
for (const { command } of times) run(command)
for (let i = 0; i < runs; i++) for (const { command, ms } of times) ms.push(run(command))
await served.stop()

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const base = median(times[0]?.ms ?? [])
const results = times.map(({ what, ms }) => ({ what, ms: Math.round(median(ms)), ratio: median(ms) / base }))
for (const { what, ms, ratio } of results)
  console.log(`${what.padEnd(24)} ${String(ms).padStart(6)} ms   ${ratio.toFixed(2)} ×`)
const of = (what: string) => results.find((result) => result.what === what)?.ms ?? 0
for (const size of ['100', '1,000', 'all'])
  console.log(`${size} rows as a table take ${(of(`table, ${size}`) / of(`csv, ${size}`)).toFixed(2)} × CSV`)
console.log(JSON.stringify({ node: process.version, runs, results }))
