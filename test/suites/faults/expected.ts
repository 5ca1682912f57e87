export const commands = {
  list: ['rooms', 'list'],
  get: ['rooms', 'get', '66f1a2b3c4d5e6f708192a3b'],
  create: ['rooms', 'create', '--name', 'Weekly sync', '--type', 'open'],
  update: ['rooms', 'update', '66f1a2b3c4d5e6f708192a3b', '--name', 'Weekly sync'],
  delete: ['rooms', 'delete', '66f1a2b3c4d5e6f708192a3b', '--yes'],
} as const

export type Command = keyof typeof commands

export interface End {
  code: number | readonly number[]
  /** Number of requests; updates and deletions may send more reads. Undefined if any number is correct. */
  requests: number | undefined
  /** Number of connections; `kept` if connections may be reused, `unsure` if timing decides. */
  connections: number | 'kept' | 'unsure'
}

export type Expected = Readonly<Record<Command, End>>

export const retries = 2
export const attempts = retries + 1

const ends = (
  code: End['code'],
  requests: number | undefined,
  connections: End['connections'] = requests ?? attempts,
): End => ({
  code,
  requests,
  connections,
})

const each = (endOf: (command: Command) => End): Expected => ({
  list: endOf('list'),
  get: endOf('get'),
  create: endOf('create'),
  update: endOf('update'),
  delete: endOf('delete'),
})

const all = (end: End): Expected => each(() => end)

/** Expects separate ends for reads, for repeatable writes, and for creations, which are not repeatable. */
export const split = (read: End, write: End, create: End): Expected =>
  each((command) => (command === 'create' ? create : command === 'list' || command === 'get' ? read : write))

/** Expects the same exit codes, after any number of requests. */
export const unread = (expected: Expected): Expected =>
  each((command) => {
    const { code, connections } = expected[command]
    return { code, requests: undefined, connections: connections === 'kept' ? 'unsure' : connections }
  })

// Faults before a request is sent: no outcome is unknown (exit code 5), and creations may be retried.

/** Connection failure that is retried. */
export const unsent = all(ends(5, 0, attempts))
/** Connection failure that a retry would not fix. */
export const unsentForGood = all(ends(5, 0, 1))
/** Connection failure without a server that counts connections. */
export const unreachable = all(ends(5, 0, 0))

// Faults after a request may have been sent: the outcome of a write may be unknown (exit code 7).

/** Broken connection. */
export const lost = split(ends(5, attempts), ends(7, attempts), ends(7, 1))
/** Broken connection that a retry would not fix. */
export const lostForGood = split(ends(5, 1), ends(7, 1), ends(7, 1))
/** Response that is not complete at the deadline. */
export const silent = lostForGood
/** Connection that breaks immediately. The service may have received the request. */
export const brokenAtOnce = split(
  ends(5, undefined, attempts),
  ends([7, 5], undefined, attempts),
  // A creation is repeated if it was not sent.
  ends([7, 5], undefined, 'unsure'),
)
/** Response that the HTTP parser refuses. */
export const notHttp = split(ends(6, 1), ends(7, 1), ends(7, 1))
/** Response before the request. A command accepts or refuses the response. */
export const early = split(
  ends([0, 6], undefined, 'unsure'),
  ends([0, 7], undefined, 'unsure'),
  ends([0, 7], undefined, 'unsure'),
)
/** Success whose body proves nothing. */
export const unproven = split(ends(6, 1), ends(7, 1, 'kept'), ends(7, 1))
/** Success without an item ID. */
export const acknowledged = split(ends(6, 1), ends(7, 1, 'kept'), ends(7, 1))
/** Success that shows another item than the requested item. After a creation, the command reads the item. */
export const contradicted: Expected = {
  ...split(ends(6, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 2, 'kept')),
  list: ends(0, 1, 'kept'),
}
/** Success that shows another name than the request. */
export const otherName: Expected = {
  ...split(ends(0, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 1, 'kept')),
  delete: ends(0, 1, 'kept'),
}
/**
 * Success with `null` for each resource: the list is empty, and the room is missing if a probe finds the
 * service.
 */
export const nullResources: Expected = {
  ...unproven,
  list: ends(0, 1),
  get: ends(3, 2, 'unsure'),
  delete: { ...unproven.delete, code: [0, 7] },
}
/** Success whose body contains an error. */
export const saysNo = split(ends(6, 1), ends(1, 1), ends(1, 1))

/** Success that is too large to read. The HTTP library may open an unused connection. */
export const cutOff = split(ends(6, 1, 'unsure'), ends(7, 1, 'unsure'), ends(7, 1, 'unsure'))

// Refusals, failures and valid responses.

/** Expects an exit code without a retry. */
export const ended = (code: number, requests = 1) => all(ends(code, requests, 'kept'))
/** Expects an exit code without a retry after a response that is too large. */
export const endedByCut = (code: number) => all(ends(code, 1, 'unsure'))
/** Too many requests (429): nothing was executed, so that all commands are retried. */
export const throttled = all(ends(1, attempts, 'kept'))
/** 503 response that proves that nothing was executed, so that all commands are retried. */
export const busy = all(ends(6, attempts, 'kept'))
/** Busy service or gateway (503): the write may have been executed, so that creations are not retried. */
export const perhapsBusy = split(ends(6, attempts, 'kept'), ends(7, attempts, 'kept'), ends(7, 1))
/** Failure of a gateway (502, 504, Cloudflare’s 520, 522, 524): the service may have executed the write. */
export const gaveUp = split(ends(6, attempts, 'kept'), ends(7, attempts, 'kept'), ends(7, 1))
/** Failure of the service, which may have executed the write. */
export const perhapsActed = split(ends(6, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 1, 'kept'))
/** Timeout of the request in the service (408), which may have executed the write. */
export const stoppedWaiting = split(ends(1, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 1, 'kept'))
/** Unusual but valid response. */
export const fine = ended(0)
