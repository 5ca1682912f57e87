export interface WireRequest {
  readonly method: string
  readonly url: string
  /** Header values by lowercase name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** An HTTP response whose body is decoded from any content encoding. */
export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Reason why the body is unreadable; the body is empty then. */
  readonly unreadable?: string
}

/**
 * Sends one request. `cancelUnsent` aborts it only while nothing is sent.
 * @throws {TransportError} when no complete response arrived
 */
export type Transport = (
  request: WireRequest,
  signal: AbortSignal,
  cancelUnsent?: AbortSignal,
) => Promise<WireResponse>

/** An error for a request without a complete response. */
export class TransportError extends Error {
  constructor(
    message: string,
    /** False only when the service provably received nothing. */
    readonly maybeSent: boolean,
    /** True when a retry may help, such as after a reset connection; false for a bad certificate. */
    readonly transient: boolean = true,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Maximum size of a decoded body, in bytes: 194 KB of gzip can hold 200 MB. */
export const maxBodyBytes = 64 * 1024 * 1024
export const tooLarge = `it is larger than ${maxBodyBytes / 1024 / 1024} MB`
