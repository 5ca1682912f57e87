import { brokenAtOnce, fine, lost, silent, unreachable, unread } from '../expected.ts'
import { type Fault, good } from '../fault.ts'
import { answer, anything, end, head, request, reset, stall } from '../script.ts'

export const connections: readonly Fault[] = [
  {
    name: 'is not running',
    over: 'closed port',
    does: [],
    expect: unreachable,
    says: 'connection refused',
  },
  {
    name: 'never accepts a connection',
    over: 'full port',
    does: [],
    expect: unreachable,
    says: 'no connection yet',
    stalls: true,
  },
  {
    name: 'has an unknown host name',
    over: 'unknown host',
    does: [],
    expect: unreachable,
    says: 'the host name cannot be resolved',
  },
  {
    name: 'accepts the connection and sends nothing',
    does: [stall],
    expect: unread(silent),
    stalls: true,
    says: 'no response',
  },
  { name: 'closes the connection immediately', does: [end], expect: brokenAtOnce },
  { name: 'resets the connection immediately', does: [reset], expect: brokenAtOnce },
  {
    name: 'closes the connection at the first byte of the request',
    does: [anything, end],
    expect: brokenAtOnce,
  },
  {
    name: 'resets the connection at the first byte of the request',
    does: [anything, reset],
    expect: brokenAtOnce,
  },
  { name: 'closes the connection after the head of the request', does: [head, end], expect: lost },
  { name: 'resets the connection after the head of the request', does: [head, reset], expect: lost },
  {
    name: 'stalls after the head of the request',
    does: [head, stall],
    expect: silent,
    stalls: true,
    says: 'no response',
  },
  {
    name: 'closes the connection after the request',
    does: [request, end],
    expect: lost,
    says: 'the connection was closed before the response was complete',
  },
  {
    name: 'resets the connection after the request',
    does: [request, reset],
    expect: lost,
    says: 'the connection was reset',
  },
  {
    name: 'stalls after the request',
    does: [request, stall],
    expect: silent,
    stalls: true,
    says: 'no response',
  },
  {
    name: 'responds to the head of the request and does not read the rest',
    does: [head, answer(200, good, { connection: 'close' }), end],
    expect: fine,
  },
]
