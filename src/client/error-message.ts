import { isRecord } from '../api/guards.ts'
import { parseJson } from '../api/json.ts'
import { maxErrorBytes, type WireResponse } from '../api/wire.ts'

/** Maximum number of characters quoted from an error response without a known message field. */
const maxTextLength = 200
/** Maximum number of characters of a non-JSON response to search for a message. */
const maxPageLength = 10_000

const readText = ({ body }: WireResponse) => new TextDecoder().decode(body.subarray(0, maxErrorBytes))

/** The API specification (“Errors”) does not define the form of error responses. */
export interface ErrorDescription {
  code?: string
  message?: string
  body: unknown
  isJson: boolean
}

export function describeErrorResponse(response: WireResponse): ErrorDescription {
  const text = readText(response)
  let body: unknown
  try {
    body = parseJson(text)
  } catch {
    return { body: text, isJson: false, ...toMessage(findPageMessage(text)) }
  }
  const code = readErrorCode(body)
  return {
    body,
    isJson: true,
    ...toMessage(findMessage(body) ?? formatUnknown(body, text)),
    ...(code && { code }),
  }
}

/** Reads the code of an error response without its message, for speed. */
export function readResponseCode(response: WireResponse): string | undefined {
  try {
    return readErrorCode(parseJson(readText(response)))
  } catch {
    return undefined
  }
}

const toMessage = (message: string | undefined) => (message ? { message } : {})

/** Fields that may hold the message, in the order of the search. */
const messageFields = [
  ...['message', 'errors', 'detail', 'details', 'error_description', 'error', 'reason', 'err', 'msg'],
  ...['description', 'title'],
]

/** Finds the message in common forms of errors, such as `{error:{message}}` and RFC 9457. */
function findMessage(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined
  if (Array.isArray(value)) return joinParts(value.map(findMessage))
  if (!isRecord(value)) return undefined
  const { error, ...besideError } = value
  // An object in `error` comes first; a string may be only the name of the status.
  if (isRecord(error)) return findMessage(error) ?? findMessage(besideError)
  const { errors, ...besideErrors } = value
  if (isRecord(errors)) return formatFieldErrors(errors) ?? findMessage(besideErrors)
  const { title, detail } = value
  if (typeof title === 'string' && typeof detail === 'string')
    return joinParts([title, detail].map(findMessage), ': ')
  for (const place of messageFields) {
    const words = findMessage(value[place])
    if (words !== undefined) return words
  }
  return undefined
}

function formatFieldErrors(errors: Readonly<Record<string, unknown>>): string | undefined {
  return joinParts(
    Object.entries(errors).map(([field, message]) => {
      const words = findMessage(message)
      return words && `${field}: ${words}`
    }),
  )
}

function joinParts(parts: readonly (string | undefined)[], by = '; '): string | undefined {
  const words = parts.filter((part) => part !== undefined && part !== '')
  return words.length === 0 ? undefined : words.join(by)
}

function formatUnknown(body: unknown, text: string): string | undefined {
  const isEmpty = typeof body !== 'object' || body === null || Object.keys(body).length === 0
  return isEmpty ? undefined : truncate(text, maxTextLength)
}

function readErrorCode(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined
  const first = Array.isArray(body['errors']) ? body['errors'][0] : undefined
  const places = [body['error'], body, first].filter(isRecord)
  return places
    .map(({ code }) => code)
    .find((code): code is string => typeof code === 'string' && code !== '')
}

function findPageMessage(whole: string): string {
  const page = truncate(whole, maxPageLength)
  const [, title = ''] = /<title[^>]*>([^<]+)<\/title>/i.exec(page) ?? []
  const text = page.replace(/<(style|script|title)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
  const message = /^\s*(error\s*)?$/i.test(title) && text.trim() !== '' ? text : title
  return truncate(message, maxTextLength)
}

/** Shortens text to one line. Cuts between words, because part of a key would not be redacted. */
function truncate(text: string, most: number): string {
  const line = text.slice(0, most).replace(/\s+/g, ' ').trim()
  if (text.length <= most) return line
  const [whole] = / .*(?= )/.exec(` ${line}`) ?? []
  return whole ? `${whole.trim()} …` : ''
}
