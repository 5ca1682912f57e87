import { isUtf8 } from 'node:buffer'
import { parseGivenJson, parseJson } from '../../../api/json.ts'
import { ConditionError, suggest, UsageError } from '../../../errors.ts'
import { readInput } from '../../../files/input-file.ts'
import type { Host } from '../../../host.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { parseTolerance, requireSecret, secretFlag, signingSecret, toleranceFlag } from './signing-secret.ts'
import { checkWebhook, type WebhookVerdict } from './webhook.ts'

interface VerifyFlags {
  headers: string
  secret?: string
  /** In seconds. */
  tolerance?: number
}

export function defineWebhookVerify(webhooks: MeetroomCommand): void {
  const verify = webhooks
    .command('verify')
    .summary('Check a saved request')
    .description('Check the signature and the fields of a webhook saved to files. Sends no requests.')
    .argument('<body-file>', 'file with the body, byte for byte as received')
    .requiredOption('--headers <file>', 'file with the headers: “Name: value” lines or a JSON object')
    .option(...secretFlag)
    .option(
      toleranceFlag,
      'maximum age of accepted signatures, as in 60 (seconds) or 1h (default: any age)',
      parseTolerance,
    )
    .act('machine', async (context, bodyFile: string, flags: VerifyFlags) => {
      const { host } = context
      requireSecret(flags)
      const body = await readTextFile(bodyFile, host)
      const headers = parseHeaderFile(await readTextFile(flags.headers, host))
      const secret = await signingSecret(flags.secret, host)
      const checked = checkWebhook(body, headers, { secret, tolerance: flags.tolerance, now: host.now() })
      await (await context.printer()).printFacts(describeFacts(checked))
      if (!checked.problem) return
      const isSwapped = checked.signature === 'missing' && /^webhook-signature:/im.test(body)
      // A secret on the command line is not repeated.
      const words = flags.secret?.startsWith('@')
        ? ['webhooks', 'verify', flags.headers, '--headers', bodyFile, '--secret', flags.secret]
        : undefined
      const hint = ['the two files may be swapped', ...(words ? [': ', suggest(words)] : [])]
      throw new ConditionError(checked.problem, isSwapped ? { hint } : {})
    })
  verify.addExamples('meetroom webhooks verify body.json --headers headers.txt --secret @secret.txt')
}

function describeFacts({ id, at, action, signature, problem }: WebhookVerdict): Printed['webhooks verify'] {
  const valid = problem === undefined
  return { webhook_id: id ?? null, timestamp: at ?? null, action: action ?? null, valid, signature }
}

async function readTextFile(file: string, host: Host): Promise<string> {
  const bytes = await readInput(file, host)
  // Decoding replaces invalid bytes, so the text would differ from the signed body.
  if (!isUtf8(bytes)) throw new UsageError(`${file} is not UTF-8 text`)
  return bytes.toString()
}

function parseHeaderFile(text: string): Record<string, string> {
  const pairs = text.trimStart().startsWith('{')
    ? Object.entries(parseObject(text))
    : text.split(/\r?\n/).flatMap((line) => {
        const [, name] = /^([^:\s]+):/.exec(line) ?? []
        return name === undefined ? [] : [[name, line.slice(name.length + 1).trim()] as const]
      })
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

function parseObject(text: string): object {
  return parseGivenJson(text, '--headers', parseJson) as object
}
