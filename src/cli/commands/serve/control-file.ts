import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../../errors.ts'
import { replaceFile } from '../../../files/draft.ts'
import { toReadError, toWriteError } from '../../../files/file-errors.ts'
import { readText } from '../../../files/read-file.ts'
import type { Context } from '../../kernel/context.ts'

export interface ControlFile {
  control_url: string
  control_key: string
}

export async function openControl(context: Context, file: string) {
  const { ServiceControl } = await import('../../../embedded/control/service-control.ts')
  const { listenForControl } = await import('../../../embedded/control/listener.ts')
  const path = resolve(context.host.cwd, file)
  removeFormerFile(path)
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

function removeFormerFile(path: string): void {
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw toReadError(`--control ${path}`, error)
  }
  if (!isControlFile(text))
    throw new UsageError(`${path} exists and is not a control file`, {
      hint: 'pass a new file with --control',
    })
  rmSync(path)
}

export function isControlFile(text: string): boolean {
  return parseControlFile(text) !== undefined
}

export function parseControlFile(text: string): ControlFile | undefined {
  try {
    const { control_url, control_key } = JSON.parse(text) as Partial<ControlFile>
    if (typeof control_url !== 'string' || typeof control_key !== 'string') return undefined
    return { control_url, control_key }
  } catch {
    return undefined
  }
}

function writeControlFile(path: string, content: ControlFile): void {
  try {
    replaceFile(path, `${JSON.stringify(content)}\n`, { overwrite: false })
  } catch (error) {
    throw toWriteError(`--control ${path}`, error, { Kind: UsageError })
  }
}
