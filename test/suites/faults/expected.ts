/** What is run against each fault. */
export const commands = {
  list: ['rooms', 'list'],
  get: ['rooms', 'get', '66f1a2b3c4d5e6f708192a3b'],
  create: ['rooms', 'create', '--name', 'Weekly sync', '--type', 'open'],
  update: ['rooms', 'update', '66f1a2b3c4d5e6f708192a3b', '--name', 'Weekly sync'],
  delete: ['rooms', 'delete', '66f1a2b3c4d5e6f708192a3b', '--yes'],
} as const

export type Command = keyof typeof commands

/** How a command ends. */
export interface End {
  /** Exit code; the first of several is the usual one. */
  code: number | readonly number[]
  /** Number of requests that the service sees; undefined where it does not look. */
  requests: number | undefined
  /** `kept`: it stays open, and may be used again; `unsure`: chance decides whether a request is sent, or sent again. */
  connections: number | 'kept' | 'unsure'
}

export type Expected = Readonly<Record<Command, End>>

/** Number of repetitions that commands are allowed, and of attempts that this makes. */
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

/** All commands end in the same way. */
const all = (end: End): Expected => each(() => end)

/** Reads, writes that may be repeated, and creating, which must not be. */
export const split = (read: End, write: End, create: End): Expected =>
  each((command) => (command === 'create' ? create : command === 'list' || command === 'get' ? read : write))

/** The same from a server that does not look at requests. */
export const unread = (expected: Expected): Expected =>
  each((command) => {
    const { code, connections } = expected[command]
    return { code, requests: undefined, connections: connections === 'kept' ? 'unsure' : connections }
  })

// Before anything was sent: no outcome is unknown (5), and creating is repeated as well.

/** No connection; it is tried again. */
export const unsent = all(ends(5, 0, attempts))
/** No connection, and trying again would not help. */
export const unsentForGood = all(ends(5, 0, 1))
/** The server is not there to count. */
export const unreachable = all(ends(5, 0, 0))

// Afterwards: whether a write was made is not known (7), and creating is never repeated.

/** The connection breaks. */
export const lost = split(ends(5, attempts), ends(7, attempts), ends(7, 1))
/** The connection breaks in a way that trying again would not change. */
export const lostForGood = split(ends(5, 1), ends(7, 1), ends(7, 1))
/** Nothing more comes: the deadline ends the command. */
export const silent = lostForGood
/** The connection breaks at once: the request may have gone out or not, and may have been seen or not. */
export const brokenAtOnce = split(
  ends(5, undefined, attempts),
  ends([7, 5], undefined, attempts),
  // Repeated when it was not sent.
  ends([7, 5], undefined, 'unsure'),
)
/** The answer is not HTTP. */
export const notHttp = split(ends(6, 1), ends(7, 1), ends(7, 1))
/** The answer came before the request, which proves as much as an answer behind it, or is not HTTP. */
export const early = split(
  ends([0, 6], undefined, 'unsure'),
  ends([0, 7], undefined, 'unsure'),
  ends([0, 7], undefined, 'unsure'),
)
/** A success whose body proves nothing. */
export const unproven = split(ends(6, 1), ends(7, 1, 'kept'), ends(7, 1))
/** A success that shows no item proves nothing. */
export const acknowledged = split(ends(6, 1), ends(7, 1, 'kept'), ends(7, 1))
/** A success that shows another item than the one that was asked for or to be changed; a new one is read. */
export const contradicted: Expected = {
  ...split(ends(6, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 2, 'kept')),
  list: ends(0, 1, 'kept'),
}
/** A success that shows another name than was sent. */
export const otherName: Expected = {
  ...split(ends(0, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 1, 'kept')),
  delete: ends(0, 1, 'kept'),
}
/** A success with `null` for each resource: a list of `null` is empty, and a room of `null` is missing if the service is one. */
export const nullResources: Expected = {
  ...unproven,
  list: ends(0, 1),
  get: ends(3, 2, 'unsure'),
  delete: { ...unproven.delete, code: [0, 7] },
}
/** A success whose body says no. */
export const saysNo = split(ends(6, 1), ends(1, 1), ends(1, 1))

/** A success that proves nothing because it is cut off: the HTTP library may open another connection, which nobody uses. */
export const cutOff = split(ends(6, 1, 'unsure'), ends(7, 1, 'unsure'), ends(7, 1, 'unsure'))

// The service says no: nothing was changed, and one answer is enough, or it says when to ask again.

/** The service is asked once, and that is that. */
export const ended = (code: number, requests = 1) => all(ends(code, requests, 'kept'))
/** The same, with an answer that is cut off. */
export const endedByCut = (code: number) => all(ends(code, 1, 'unsure'))
/** Too many requests (429): nothing was done, so that everything is tried again. */
export const throttled = all(ends(1, attempts, 'kept'))
/** The service is busy (503) and says when to come back: nothing was done, so that everything is tried again. */
export const busy = all(ends(6, attempts, 'kept'))
/** Something is busy (503): the service behind a proxy may have acted, so that creating is not tried again. */
export const perhapsBusy = split(ends(6, attempts, 'kept'), ends(7, attempts, 'kept'), ends(7, 1))
/** A gateway gave up (502, 504, Cloudflare’s 520, 522, 524): the service behind it may have acted. */
export const gaveUp = split(ends(6, attempts, 'kept'), ends(7, attempts, 'kept'), ends(7, 1))
/** The service failed, and may have acted before. */
export const perhapsActed = split(ends(6, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 1, 'kept'))
/** The service stopped waiting for the request (408), and may have acted. */
export const stoppedWaiting = split(ends(1, 1, 'kept'), ends(7, 1, 'kept'), ends(7, 1, 'kept'))
/** Odd, but nothing is wrong. */
export const fine = ended(0)
