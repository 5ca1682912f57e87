import { Option } from 'commander'
import type { Route } from '../../api/endpoints.ts'
import { climbs } from '../../api/path.ts'
import { UsageError } from '../../errors.ts'
import { parseFields } from '../assignments.ts'
import type { Act } from '../context.ts'
import { examples } from '../flags.ts'
import { collect, readData } from '../input.ts'
import type { MeetroomCommand } from '../meetroom-command.ts'
import { isJson } from '../output/error.ts'
import { saveFlags } from '../saving/flags.ts'

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

interface Flags {
  field?: string[]
  data?: string
}

export function defineApi(api: MeetroomCommand, act: Act): void {
  api
    .description('Send any request to the service and print its answer, for what no other command covers.')
    .argument('<method>', methods.join(', '))
    .argument('<path>', 'path below the base URL, as in /rooms?limit=1')
    .addOption(
      new Option(
        '-f, --field <key=value>',
        'field of the body, or query parameter of a GET; repeatable',
      ).argParser(collect),
    )
    .option('--data <json|@file|->', 'body as JSON, from a file or from standard input')
  saveFlags(api).action(
    act('any', async (context, verb: string, path: string, flags: Flags) => {
      const method = methods.find((known) => known === verb.toUpperCase())
      if (!method)
        throw new UsageError(`“${verb}” is not a method of this API; use one of ${methods.join(', ')}`)
      // A URL parser drops control characters at the end, and finds “..” before them.
      if (!/^\/[^/\\]/.test(path) || /[{}#\s\p{Cc}\p{Cs}]/u.test(path))
        throw new UsageError(`“${path}” is not a path below the base URL, as in /rooms?limit=1`)
      const { output, query: expression } = context.flags
      const mayBeTsv = expression !== undefined && output === 'tsv'
      if (output && !isJson(output) && !mayBeTsv)
        throw new UsageError(`api prints the JSON that the service sent; it does not support -o ${output}`)
      if (typeof context.flags.save === 'string' && method !== 'DELETE')
        throw new UsageError(`--save is for DELETE: ${method} deletes nothing`)
      const [pathname = '', search] = path.split(/\?(.*)/s)
      if (climbs(pathname))
        throw new UsageError(`“${path}” contains “.” or “..”, and so would leave the base URL`)
      const fields = parseFields('--field', flags.field ?? [])
      const data = flags.data === undefined ? undefined : await readData(flags.data, context.host)
      const endpoint: Route = {
        id: `api.${method.toLowerCase()}`,
        summary: '',
        method,
        path: pathname,
      }
      const query = Object.fromEntries(new URLSearchParams(search ?? ''))
      const input =
        method === 'GET' ? { query: { ...query, ...fields } } : { query, body: bodyOf(data, fields) }
      if (method === 'GET' && data !== undefined) throw new UsageError('a GET has no body; use --field')
      const answer = await (await context.client()).request(endpoint, input)
      // A warning was given about what is not JSON; it has no place in JSON output.
      if (answer.value !== undefined) await (await context.printer()).body(answer)
    }),
  )
  examples(
    api,
    'meetroom api GET /rooms?limit=1',
    'meetroom api PUT /rooms/66f1a2b3c4d5e6f708192a3b -f name=Renamed -f layout=grid',
  )
}

function bodyOf(data: unknown, fields: Record<string, unknown>): unknown {
  if (Object.keys(fields).length === 0) return data
  if (data === undefined) return fields
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new UsageError('--field needs --data to be a JSON object')
  return { ...data, ...fields }
}
