export interface WireRequest {
  readonly method: string
  readonly url: string
  /** Header values by lowercase name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** HTTP response whose content encoding is already decoded. */
export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Reason why the body is unreadable. If set, the body is empty. */
  readonly unreadable?: string
}

/**
 * Function that sends one request. `cancelUnsent` aborts only while no byte has been sent.
 * @throws {TransportError} if no complete response arrives
 * @throws {ServiceError} if the response is not HTTP, or its headers are too large
 */
export type Transport = (
  request: WireRequest,
  signal: AbortSignal,
  cancelUnsent?: AbortSignal,
) => Promise<WireResponse>

/**
 * Check of each new connection before data is sent. Returns false if an unintended program may have accepted
 * the connection.
 */
export type ConnectionCheck = () => Promise<boolean>

export class TransportError extends Error {
  constructor(
    message: string,
    /** False only if the service provably received nothing. */
    readonly maybeSent: boolean,
    /** True if a retry may help. */
    readonly transient: boolean = true,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Maximum size of a decoded body, in bytes. A gzip body of 194 KB can decode to 200 MB. */
export const maxBodyBytes = 64 * 1024 * 1024
export const tooLarge = `it is larger than ${maxBodyBytes / 1024 / 1024} MB`

/** Maximum size of an error response, in bytes. The client drops the rest. */
export const maxErrorBytes = 1024 * 1024
