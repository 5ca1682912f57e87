// 10,000 rooms in each output format, beside curl and jq with pages of 1,000 on the same service, and tables beside CSV.
// Run with: npm run bench:output [-- PAIRS [ROOMS]]; 5 pairs with 100000 rooms take about three minutes.
import { spawnSync } from 'node:child_process'
import { alternate, printRatio, ratiosOf, spread } from './measured.ts'
import { launcher, send, startService } from './served.ts'

const pairs = Number(process.argv[2] ?? 9)
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
const peer = 'curl | jq -c'
const commands = {
  // The service returns at most 1,000 rooms: curl sends its requests over one connection.
  [peer]: `curl -s -H "Authorization: Bearer $MEETROOM_API_KEY" "${served.baseUrl}/rooms?limit=1000&offset=[0-${rooms - 1}:1000]" | jq -c '.rooms[]'`,
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

const sides = Object.fromEntries(
  Object.entries(commands).map(([what, command]) => [what, () => run(command)]),
)
// Stores the code cache.
await alternate(1, sides)
const times = await alternate(pairs, sides)
await served.stop()

const compare = (what: string, other: string) => {
  const [ms = [], otherMs = []] = [times[what], times[other]]
  printRatio(`${rooms} rooms: ${what}`, other, ratiosOf(ms, otherMs), `${spread(ms, 0)} ms`)
}
for (const what of ['--json', '-o ndjson', 'csv, all', 'table, all']) compare(what, peer)
for (const size of ['100', '1,000', 'all']) compare(`table, ${size}`, `csv, ${size}`)
console.log(JSON.stringify({ node: process.version, pairs, rooms, times }))
