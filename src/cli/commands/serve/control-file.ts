import { rmSync } from 'node:fs'
import { isLoopback } from '../../../api/loopback.ts'
import { UsageError } from '../../../errors.ts'
import { replaceFile } from '../../../files/draft.ts'
import { toReadError, toWriteError } from '../../../files/file-errors.ts'
import { resolveOutput } from '../../../files/file-kind.ts'
import { readText } from '../../../files/read-file.ts'
import type { Context } from '../../kernel/context.ts'

const probeTimeoutMs = 1000

export interface ControlFile {
  control_url: string
  control_key: string
}

export async function openControl(context: Context, file: string) {
  const { ServiceControl } = await import('../../../embedded/control/service-control.ts')
  const { listenForControl } = await import('../../../embedded/control/listener.ts')
  const path = resolveOutput(file, context.host, 'control.json')
  await removeFormerFile(context, path)
  const control = new ServiceControl(context.host)
  let close = () => {}
  return {
    control,
    async start(): Promise<void> {
      const { url, key, close: stopListening } = await listenForControl(control)
      context.addSecret(key)
      close = stopListening
      writeControlFile(path, { control_url: url, control_key: key })
      close = () => {
        stopListening()
        rmSync(path, { force: true })
      }
    },
    close: () => close(),
  }
}

/** @throws {UsageError} unless the file is missing or is the control file of a stopped service */
async function removeFormerFile(context: Context, path: string): Promise<void> {
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw toReadError(`--control ${path}`, error)
  }
  const former = parseControlFile(text)
  const state = !former
    ? 'exists and is not a control file'
    : (await isRunning(context, former))
      ? 'is the control file of a service that still runs'
      : undefined
  if (state !== undefined)
    throw new UsageError(`${path} ${state}`, { hint: 'pass a new file with --control' })
  rmSync(path)
}

/** Sends a request without the key, which a running service refuses with 401. */
async function isRunning(context: Context, { control_url: url }: ControlFile): Promise<boolean> {
  const transport = await context.connect(url, context.host)
  const signal = AbortSignal.any([context.interrupt, AbortSignal.timeout(probeTimeoutMs)])
  try {
    return (
      (await transport({ method: 'GET', url: `${url}/`, headers: {}, body: undefined }, signal)).status ===
      401
    )
  } catch {
    context.interrupt.throwIfAborted()
    return false
  } finally {
    await transport.close?.()
  }
}

export function parseControlFile(text: string): ControlFile | undefined {
  try {
    const { control_url, control_key } = JSON.parse(text) as Partial<ControlFile>
    if (typeof control_url !== 'string' || typeof control_key !== 'string') return undefined
    // The control key must not leave this machine.
    const isLocal = /^http:\/\/[^/?#@\\]+$/.test(control_url) && isLoopback(new URL(control_url).hostname)
    return isLocal ? { control_url, control_key } : undefined
  } catch {
    return undefined
  }
}

function writeControlFile(path: string, content: ControlFile): void {
  try {
    replaceFile(path, `${JSON.stringify(content)}\n`, { overwrite: false })
  } catch (error) {
    throw toWriteError(`--control ${path}`, error)
  }
}
