import { resolve } from 'node:path'
import { TransportError } from '../../../api/wire.ts'
import { MeetroomError, NetworkError, suggest, UsageError } from '../../../errors.ts'
import { toReadError } from '../../../files/file-errors.ts'
import { readTrusted } from '../../../files/trusted-file.ts'
import type { Context } from '../../kernel/context.ts'
import { parseControlFile } from '../serve/control-file.ts'

export const controlFlag = [
  '--control <file>',
  'control file that serve --ephemeral --control wrote',
] as const

/**
 * @throws {UsageError} if the file is unreadable or invalid, or the service refuses the action
 * @throws {NetworkError | ServiceError} without a valid response
 */
export async function control<T>(
  context: Context,
  file: string,
  action: string,
  input: object = {},
): Promise<T> {
  const { control_url, control_key } = readControlFile(context, file)
  context.addSecret(control_key)
  const transport = await context.connect(control_url, context.host)
  try {
    const { status, body } = await transport(
      {
        method: 'POST',
        url: `${control_url}${action}`,
        headers: { authorization: `Bearer ${control_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      },
      context.interrupt,
    )
    const response = JSON.parse(new TextDecoder().decode(body))
    if (status === 200) {
      context.changes.add(['test service', 'test services'], 'changed')
      return response
    }
    throw new UsageError(String(response.error?.message))
  } catch (error) {
    if (error instanceof MeetroomError || context.interrupt.aborted) throw error
    if (!(error instanceof TransportError) && !(error instanceof SyntaxError)) throw error
    throw new NetworkError(`the service that wrote ${file} does not respond`, {
      hint: ['start a new service with: ', suggest(['serve', '--ephemeral', '--control', file])],
      cause: error,
    })
  } finally {
    await transport.close?.()
  }
}

function readControlFile({ host }: Context, file: string) {
  const hint = ['write a control file with: ', suggest(['serve', '--ephemeral', '--control', file])]
  let text: string
  try {
    text = readTrusted(resolve(host.cwd, file), host.uid, file)
  } catch (error) {
    throw toReadError(file, error, { hint })
  }
  const found = parseControlFile(text)
  if (found) return found
  throw new UsageError(`${file} is not a control file`, { hint })
}
