import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { replaceFile } from '../../../files/draft.ts'
import { readText } from '../../../files/read-file.ts'
import type { Host } from '../../../host.ts'
import { LauncherProcesses } from './launcher-processes.ts'

/** Lists of common commands; the lists run concurrently. `ROOM` and `OTHER` are replaced by room IDs. */
const commands: readonly (readonly string[])[] = [
  [
    '--version',
    '',
    'rooms --help',
    'users --help',
    'members --help',
    'auth status',
    'config list',
    'doctor',
    'profiles list',
    'completion bash',
    'openapi',
    'commands',
    'schema rooms list',
    'api GET /rooms',
  ],
  [
    'rooms create --name Third --type open',
    'rooms create --name Fourth --type open --json',
    'rooms list',
    'rooms list --json',
    'rooms list -o ids',
    'rooms list -o csv',
    'rooms get ROOM',
    'rooms get ROOM --json',
    'rooms wait ROOM --for status=active',
    'rooms import rooms.csv',
    'rooms export',
  ],
  [
    'rooms update OTHER --name Other',
    'rooms terminate OTHER --yes',
    'rooms reopen OTHER --yes',
    'rooms delete OTHER --yes',
    'sessions list ROOM',
    'sessions list ROOM --json',
    'sessions report ROOM',
    'pages create ROOM --image https://example.com/1.png --size 1280x720',
    'message send ROOM Hello',
  ],
  [
    'members list ROOM',
    'members list ROOM --json',
    'members get ROOM --user ada',
    'members update ROOM --user ada --type host',
    'members block ROOM --user ada --yes',
    'members unblock ROOM --user ada --yes',
    'members import members.csv --room ROOM',
    'members export ROOM',
  ],
  [
    'users list',
    'users list --json',
    'users get ada',
    'users get ada --json',
    'users update ada --name Ada',
    'users rooms ada',
    'users import users.csv',
    'users export',
    'users delete grace --yes',
    'users offboard linus --yes',
  ],
  [
    '--local users create ada',
    '--local users list',
    '--local rooms create --name First --type open',
    '--local rooms list',
    '--local rooms list --json',
    '--local rooms get name:First',
  ],
]

const files = {
  'rooms.csv': 'name,type\nImported,open\n',
  'members.csv': 'user_id\ngrace\n',
  'users.csv': 'user_id,name\nlinus,Linus\n',
}

/**
 * Runs common commands, so that the launcher stores their compiled code in `HOME/cache`.
 * @param home empty home directory of these runs
 * @returns the commands that failed
 */
export async function runCommonCommands(host: Host, home: string, interrupt: AbortSignal): Promise<string[]> {
  const processes = new LauncherProcesses(host, home, interrupt)
  const failed: string[] = []
  const run = async (line: string, stdin?: string) => {
    const output = await processes.run(line.split(' ').filter(Boolean), stdin)
    if (output === undefined) failed.push(line)
    return output ?? ''
  }
  for (const [name, content] of Object.entries(files)) replaceFile(join(home, name), content)
  const keyFile = join(home, 'api-key')
  const service = await processes.serve(keyFile)
  try {
    await run(`auth login --base-url ${service.baseUrl} --with-token`, readText(keyFile))
    await run('users create ada')
    await run('users create grace')
    const room = await run('rooms create --name First --type private -o ids')
    const other = await run('rooms create --name Second --type open -o ids')
    await run(`members add ${room} ada`)
    const waiting = commands.map((lines) =>
      lines.map((line) => line.replace('ROOM', room).replace('OTHER', other)),
    )
    const runLists = async () => {
      for (let lines = waiting.shift(); lines; lines = waiting.shift())
        for (const line of lines) await run(line)
    }
    await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, runLists))
  } finally {
    // The service process writes its compile cache when it stops.
    await service.stop()
  }
  return failed
}
