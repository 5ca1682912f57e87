import { isWebhookSecret } from '../../../api/webhook-secret.ts'
import { parseDuration } from '../../../duration.ts'
import { UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'
import { readSecret } from '../../input/input.ts'

export const secretFlag = [
  '--secret <secret|@file>',
  'secret that signs the webhooks; @FILE reads a file, @- standard input',
] as const

/** Returns a flag whose duration is parsed into seconds. */
export const createToleranceFlag = (defaultText: string) =>
  [
    '--tolerance <duration>',
    `maximum age of accepted signatures, as in 60 (seconds) or 1h (default: ${defaultText})`,
    (text: string) => parseDuration(text, { least: 1000 }, '--tolerance') / 1000,
  ] as const

export function requireSecret({ secret, tolerance }: { secret?: string; tolerance?: number }): void {
  if (tolerance !== undefined && secret === undefined) throw new UsageError('--tolerance needs --secret')
}

/** @throws {UsageError | InterruptedError} if the secret is invalid or cannot be read */
export async function signingSecret(given: string | undefined, host: Host): Promise<string | undefined> {
  const secret = given === undefined ? undefined : await readSecret('--secret', given, host)
  if (secret !== undefined && !isWebhookSecret(secret))
    throw new UsageError('--secret must be whsec_ followed by base64, or text without that prefix')
  return secret
}
