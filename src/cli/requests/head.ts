import type { WireResponse } from '../../api/wire.ts'
import type { Visible } from '../../host.ts'
import type { Redact } from '../output/redaction/redact.ts'
import { isSecretHeader, mask } from '../output/redaction/secrets.ts'
import { joined, own, visible } from '../output/terminal/visible.ts'

/** Formats the status line and headers of a response, followed by an empty line. */
export async function formatHead({ status, headers }: WireResponse, redact: Redact): Promise<Visible> {
  const { STATUS_CODES } = await import('node:http')
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    ...Object.entries(headers).map(([name, value]) =>
      redact(`${name}: ${isSecretHeader(name) ? mask : value}`),
    ),
  ]
  return joined([...lines, ''].map((line) => own`${visible(line)}\n`))
}
