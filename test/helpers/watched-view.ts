import { Emulator } from './emulator.ts'
import type { HostOptions, TestHost } from './host.ts'
import { turns } from './still-time.ts'
import { type Look, watchedRoom } from './watched-room.ts'

interface Options extends HostOptions {
  line?: string
  /** The nth action runs when the program sleeps for the nth time. */
  meanwhile?: readonly ((host: TestHost, terminal: Emulator) => unknown)[]
}

/** Watches a room on a terminal. Captures the screen each time the program sleeps. */
export async function view(
  looks: readonly Look[],
  { line = '', meanwhile = [], columns = 80, rows = 24, ...options }: Options = {},
) {
  const { start } = await watchedRoom(looks)
  const { host, done } = start(line, { tty: true, columns, rows, ...options })
  const terminal = new Emulator(columns, rows)
  for (const output of [host.stdout, host.stderr]) {
    const write = output.write.bind(output)
    output.write = async (data) => {
      terminal.write(String(data))
      await write(data)
    }
  }
  const { after, sleep } = host
  host.after = (ms, work) => {
    if (ms > 0) return after(ms, work)
    const timer = setImmediate(work)
    return () => clearImmediate(timer)
  }
  const raw: boolean[] = []
  Object.assign(host.stdin, { setRawMode: (isRaw: boolean) => raw.push(isRaw) })
  const screens: string[] = []
  host.sleep = async (...args) => {
    await turns()
    screens.push(terminal.screen)
    await meanwhile[screens.length - 1]?.(host, terminal)
    await turns()
    return sleep(...args)
  }
  const { code, stdout, stderr } = await done
  return { code, stdout, stderr, screens, last: terminal.screen, terminal, raw, host }
}
