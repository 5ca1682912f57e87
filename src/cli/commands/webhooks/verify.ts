import { isUtf8 } from 'node:buffer'
import { parseGivenJson, parseJson } from '../../../api/json.ts'
import { ConditionError, suggest, UsageError } from '../../../errors.ts'
import { readInput } from '../../../files/input-file.ts'
import type { Host } from '../../../host.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { createToleranceFlag, requireSecret, secretFlag, signingSecret } from './signing-secret.ts'
import { checkWebhook } from './webhook.ts'

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
    .option(...createToleranceFlag('any age'))
    .act('machine', async (context, bodyFile: string, flags: VerifyFlags) => {
      const { host } = context
      requireSecret(flags)
      const body = await readTextFile(bodyFile, host)
      const headers = parseHeaderFile(await readTextFile(flags.headers, host))
      const secret = await signingSecret(flags.secret, host)
      const checked = checkWebhook(body, headers, { secret, tolerance: flags.tolerance, now: host.now() })
      const { id = null, at = null, action = null, signature, problem } = checked
      const facts = { webhook_id: id, timestamp: at, action, valid: problem === undefined, signature }
      await (await context.printer()).printFacts(facts satisfies Printed['webhooks verify'])
      if (!problem) return
      const isSwapped = signature === 'missing' && /^webhook-signature:/im.test(body)
      // A secret on the command line is not repeated.
      const words = flags.secret?.startsWith('@')
        ? ['webhooks', 'verify', flags.headers, '--headers', bodyFile, '--secret', flags.secret]
        : undefined
      const hint = ['the two files may be swapped', ...(words ? [': ', suggest(words)] : [])]
      throw new ConditionError(problem, isSwapped ? { hint } : {})
    })
  verify.addExamples('meetroom webhooks verify body.json --headers headers.txt --secret @secret.txt')
}

async function readTextFile(file: string, host: Host): Promise<string> {
  const bytes = await readInput(file, host)
  // Decoding replaces invalid bytes, so the text would differ from the signed body.
  if (!isUtf8(bytes)) throw new UsageError(`${file} is not UTF-8 text`)
  return bytes.toString()
}

function parseHeaderFile(text: string): Record<string, string> {
  const pairs = text.trimStart().startsWith('{')
    ? Object.entries(parseGivenJson(text, '--headers', parseJson) as object)
    : text.split(/\r?\n/).flatMap((line) => {
        const [, name] = /^([^:\s]+):/.exec(line) ?? []
        return name === undefined ? [] : [[name, line.slice(name.length + 1).trim()] as const]
      })
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)]))
}
