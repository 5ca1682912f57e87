// Measures peak memory and time of commands that read a long list.
// Run with: npm run bench:lists [-- ROWS [ROUNDS]]
import { fill } from './filled.ts'
import { alternate, type Measurement, printRatio, printValue, ratiosOf, run, spread } from './measured.ts'
import { launcher, startService } from './served.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 3)
const served = await startService(await fill(rows))
const env = { ...process.env, MEETROOM_BASE_URL: served.baseUrl, MEETROOM_API_KEY: served.apiKey }
const command = (line: string) => () => run([process.execPath, launcher, ...line.split(' ')], env)
const unsorted = 'rooms list --all -o ndjson'
const lines = [
  unsorted,
  'rooms list --all -o csv',
  'rooms list --all',
  'rooms list --sort name --limit 30000 -o ndjson',
  'rooms list --sort updated_at --limit 30000 -o ndjson',
  'users export',
]
const runs: Record<string, Measurement[]> = await alternate(
  rounds,
  Object.fromEntries(lines.map((line) => [line, command(line)])),
)
await served.stop()
const times = (line: string) => runs[line]?.map(({ ms }) => ms) ?? []
for (const line of lines) {
  const peaks = runs[line]?.map(({ peakMb }) => peakMb) ?? []
  const seconds = spread(times(line).map((ms) => ms / 1000))
  printValue(`${line}, peak`, peaks, 'MB', 0, `${seconds} s`)
  if (line !== unsorted) printRatio(`${line}, time`, unsorted, ratiosOf(times(line), times(unsorted)))
}
