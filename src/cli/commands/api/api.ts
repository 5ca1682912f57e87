import { formatChoices } from '../../../api/either.ts'
import type { Route } from '../../../api/endpoints.ts'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { isRecord } from '../../../api/guards.ts'
import { hasDotSegment } from '../../../api/path.ts'
import type { WireResponse } from '../../../api/wire.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { AnyInput } from '../../../client/request.ts'
import type { Settings } from '../../../config/settings.ts'
import { isJson } from '../../../config/values.ts'
import { UsageError } from '../../../errors.ts'
import type { Visible } from '../../../host.ts'
import { saveFlags } from '../../backup/save-flags.ts'
import { parseFields } from '../../input/assignments.ts'
import { headerValue } from '../../input/headers.ts'
import { collect, readData } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { isSecretHeader, mask, type Redact } from '../../output/redaction/redaction.ts'
import { joinVisible, own, visible, visibleLines } from '../../output/terminal/visible.ts'
import { rowKinds } from '../../output/views/rows.ts'
import { readRequestHeaders } from '../../requests/request-headers.ts'

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

interface Flags {
  field?: string[]
  data?: string
  header?: string[]
  include?: boolean
  paginate?: boolean
}

export function defineApi(api: MeetroomCommand): void {
  api
    .description(
      'Send any request to the service and print the response. Use this command if no other command supports the operation.',
    )
    .argument('<method>', methods.join(', '))
    .argument('<path>', 'path below the base URL, as in /rooms?limit=1')
    .option('-f, --field <name=value>', 'field of the body, or query parameter of a GET; repeatable', collect)
    .option('--data <json|@file|->', 'body as JSON, from a file or from standard input')
    .option('-H, --header <header>', `header to send, ${headerValue[0]}`, headerValue[1])
    .option('-i, --include', 'print the status line and the headers before the body')
    .option('--paginate', 'read a complete list with several requests, and print one document (GET)')
  saveFlags(api, 'for DELETE: save the records to this new file; an import restores them').act(
    'any',
    async (context, verb: string, path: string, flags: Flags) => {
      const endpoint = toRoute(verb, path)
      const { output, query } = context.flags
      const mayBeTsv = query !== undefined && output === 'tsv'
      if (output && !isJson(output) && !mayBeTsv)
        throw new UsageError(`-o ${output} cannot be used with “api”, which prints JSON`)
      if (typeof context.flags.save === 'string' && endpoint.method !== 'DELETE')
        throw new UsageError(`--save needs the method DELETE, not ${endpoint.method}`)
      if (flags.paginate && endpoint.method !== 'GET')
        throw new UsageError(`--paginate needs the method GET, not ${endpoint.method}`)
      if (flags.paginate && flags.include)
        throw createFlagConflict('--paginate', '--include', {
          because: 'the document combines several responses',
          hint: 'omit --include',
          lineEdit: { before: 'type: ', omit: ['--include'] },
        })
      refuseBasePath(path, await context.settings())
      const input = await toInput(context, endpoint, path, flags)
      if (endpoint.method === 'GET') await context.requireAllowedFlags('reads')
      if (flags.paginate) return printPages(context, endpoint, input)
      await printResponse(context, endpoint, input, flags)
    },
  )
  api.addExamples(
    "meetroom api GET '/rooms?limit=1'",
    'meetroom api GET /users --paginate',
    "meetroom api GET /rooms -i -H 'Accept-Language: de'",
    'meetroom api PUT /rooms/66f1a2b3c4d5e6f708192a3b -f name=Renamed -f layout=grid',
  )
}

function toRoute(verb: string, path: string): Route {
  const method = methods.find((known) => known === verb.toUpperCase())
  if (!method)
    throw new UsageError(`the method must be ${formatChoices(methods)}, not “${verb}”`, {
      // This API updates items with PUT.
      ...(/^patch$/i.test(verb) && { correction: [verb, 'PUT'] as const }),
    })
  // URL parsers drop some control characters, which could hide “..”.
  if (!/^\/[^/\\]/.test(path) || /[{}#\s\p{Cc}\p{Cs}]/u.test(path))
    throw new UsageError(`the path must be below the base URL, as in /rooms?limit=1, not “${path}”`, {
      hint: /^[A-Z]:[/\\]/i.test(path)
        ? 'Git Bash changes paths of commands; set MSYS_NO_PATHCONV=1'
        : undefined,
      ...(/^[a-z]/.test(path) && !path.includes(':') && { correction: [path, `/${path}`] as const }),
    })
  const [pathname = ''] = path.split('?')
  if (hasDotSegment(pathname))
    throw new UsageError(`the path must not contain “.” or “..” as a segment: “${path}”`)
  return {
    id: `api.${method.toLowerCase()}`,
    summary: '',
    method,
    path: pathname,
    check: ['api', 'GET', pathname],
  }
}

/** @throws {UsageError} for a path such as `/v1/rooms` if the base URL ends with `/v1` */
function refuseBasePath(path: string, { local, baseUrl }: Settings): void {
  const base = local ? '/v1' : new URL(baseUrl?.value ?? 'http://unset').pathname.replace(/\/$/, '')
  if (base !== '' && path.startsWith(`${base}/`))
    throw new UsageError(`the path must be below the base URL, which already has ${base}, not “${path}”`, {
      correction: [path, path.slice(base.length)],
    })
}

type Request = AnyInput & { query: Record<string, unknown> }

async function toInput(context: Context, { method }: Route, path: string, flags: Flags): Promise<Request> {
  const [, search = ''] = path.split(/\?(.*)/s)
  const query = Object.fromEntries(new URLSearchParams(search))
  const headers = flags.header && { headers: await readRequestHeaders(context, '--header', flags.header) }
  const fields = parseFields('--field', flags.field ?? [])
  const data = flags.data === undefined ? undefined : await readData(flags.data, context.host)
  if (method !== 'GET') return { query, body: toBody(data, fields), ...headers }
  if (data !== undefined)
    throw new UsageError('--data cannot be used with GET: pass query parameters with --field')
  return { query: { ...query, ...fields }, ...headers }
}

function toBody(data: unknown, fields: Record<string, unknown>): unknown {
  if (Object.keys(fields).length === 0) return data
  if (data === undefined) return fields
  if (!isRecord(data)) throw new UsageError('--field needs a JSON object in --data')
  return { ...data, ...fields }
}

async function printPages(context: Context, endpoint: Route, input: Request): Promise<void> {
  const { paginateAny } = await import('../../lists/paginate-any.ts')
  const { key, pages } = await paginateAny(context, endpoint, input)
  const { output, query } = context.flags
  // Without --query, the output is always JSON or NDJSON.
  const printer = await context.printer(query ? undefined : output === 'ndjson' ? 'ndjson' : 'json')
  await printer.list(rowKinds.items, key, pages)
}

/** Prints the JSON of a 2xx response even if the client rejects the response. */
async function printResponse(
  context: Context,
  endpoint: Route,
  input: AnyInput,
  { include }: Flags,
): Promise<void> {
  let received: { response: WireResponse; body: ResponseBody } | undefined
  const client = await context.client()
  const asked = client.request(endpoint, input, (response, body) => {
    received = { response, body }
  })
  const failed = await asked.then(
    () => false,
    () => true,
  )
  if (!received) return void (await asked)
  const { response, body } = received
  const printer = await context.printer()
  if (include) await printer.write(await formatHead(response, context.redact))
  const { status } = response
  if (body.value !== undefined && status >= 200 && status < 300) await printer.body(body)
  else if (include && failed) {
    const text = context.redact(new TextDecoder().decode(body.bytes)).trimEnd()
    if (text !== '') await printer.data(`${text}\n`, visibleLines)
  }
  await asked
}

async function formatHead({ status, headers }: WireResponse, redact: Redact): Promise<Visible> {
  const { STATUS_CODES } = await import('node:http')
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    ...Object.entries(headers).map(([name, value]) =>
      redact(`${name}: ${isSecretHeader(name) ? mask : value}`),
    ),
  ]
  return joinVisible([...lines, ''].map((line) => own`${visible(line)}\n`))
}
