/** A request as it goes over the wire. Structural, so that no fetch implementation's classes are needed. */
export interface WireRequest {
  readonly method: string
  /** Absolute URL. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** An answer with its body decoded from any content encoding. */
export interface WireResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Why the body cannot be read; it is empty then. */
  readonly unreadable?: string
}

/**
 * One exchange with a service: over the network, or with the embedded service in this process.
 * @param signal aborted: nobody waits for the answer any more
 * @param withdrawn aborted: a request of which nothing was sent is not sent any more
 * @throws {TransportError} when no whole answer came
 */
export type Transport = (
  request: WireRequest,
  signal: AbortSignal,
  withdrawn?: AbortSignal,
) => Promise<WireResponse>

/** No whole answer came. */
export class TransportError extends Error {
  constructor(
    message: string,
    /** Whether any of the request may have reached the service. False only where that is proven. */
    readonly maybeSent: boolean,
    /** Whether trying again may help: a bad certificate stays bad, a reset connection may work next time. */
    readonly transient: boolean = true,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Largest decoded body that is read, in bytes: 194 KB of gzip can hold 200 MB. */
export const maxBodyBytes = 64 * 1024 * 1024
/** Why a body that is larger cannot be read. */
export const tooLarge = `it is larger than ${maxBodyBytes / 1024 / 1024} MB`
