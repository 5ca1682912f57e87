// Public types of `meetroom/testing`. The build publishes this file, so it must not import anything.

export type Operation =
  | 'listRooms'
  | 'createRoom'
  | 'getRoom'
  | 'updateRoom'
  | 'deleteRoom'
  | 'listSessions'
  | 'createPages'
  | 'listPages'
  | 'listMembers'
  | 'addMember'
  | 'getMember'
  | 'updateMember'
  | 'sendMessage'
  | 'listUsers'
  | 'createUser'
  | 'getUser'
  | 'updateUser'
  | 'deleteUser'
  | 'listDeliveries'
  | 'redeliver'

export type RoomType = 'open' | 'public' | 'private'
export type MemberType = 'guest' | 'host' | 'monitor'

/** Users and rooms of a new or reset workspace. */
export interface Seed {
  readonly users?: readonly SeedUser[]
  readonly rooms?: readonly SeedRoom[]
}

export interface SeedUser {
  readonly user_id: string
  readonly name?: string
  readonly profile_url?: string
  readonly default_member_type?: MemberType
  readonly email?: string
  /** Default: a random token, which a reset does not change. */
  readonly access_token?: string
}

export interface SeedRoom {
  /** Default: a random ID, which a reset does not change. */
  readonly id?: string
  readonly name: string
  readonly type: RoomType
  readonly layout?: string
  readonly record?: boolean
  readonly max_meeting_seconds?: number
  readonly is_terminated?: boolean
  readonly members?: readonly SeedMember[]
  readonly pages?: readonly SeedPage[]
  /** Ended sessions of anonymous participants of an open room, one participant for each session. */
  readonly sessions?: readonly SeedSession[]
  readonly webhook?: {
    readonly url: string
    readonly headers?: Readonly<Record<string, string>>
    readonly secret?: string
  }
}

export interface SeedMember {
  readonly id?: string
  readonly user_id: string
  readonly type?: MemberType
  readonly name?: string
  readonly is_blocked?: boolean
  readonly sessions?: readonly SeedSession[]
}

/** Ended session, with ISO 8601 timestamps such as `2026-01-31T09:00:00Z`. */
export interface SeedSession {
  readonly id?: string
  readonly connected_at: string
  readonly disconnected_at: string
}

export interface SeedPage {
  readonly entities?: readonly { readonly type: string; readonly src?: string; readonly fixed?: boolean }[]
  readonly size?: { readonly width: number; readonly height: number }
  readonly index?: number
}

/** Records of the seed as the API returns them. */
export interface Seeded {
  readonly users: readonly { readonly user_id: string; readonly access_token: string }[]
  readonly rooms: readonly {
    readonly id: string
    readonly name: string
    readonly members: readonly { readonly id: string; readonly user_id: string }[]
    readonly pages: readonly { readonly id: string }[]
    /** Latest start first. */
    readonly sessions: readonly {
      readonly id: string
      readonly member_id: string
      readonly user_id: string | null
      readonly connected_at: string
      readonly disconnected_at: string | null
    }[]
  }[]
}

/** Duration such as `500ms`, `30s` or `1h30m`, or a number of milliseconds. */
export type Duration = string | number

export interface StartOptions {
  /** Users and rooms, or the path of a JSON file that contains them. */
  readonly seed?: Seed | string
  /** Directory for a workspace on disk. Default: in memory. */
  readonly dataDir?: string
  /** Port on 127.0.0.1. Default: any free port. */
  readonly port?: number
  /** API key. Not allowed with `dataDir`, which stores its own key. Default: a random key. */
  readonly apiKey?: string
  /** `throw`: `reset` and `close` reject after a request for an unknown operation. */
  readonly onUnknown?: 'throw'
  /** `throw`: `close` rejects if a fault has not matched any request. */
  readonly onUnmatchedFault?: 'throw'
  readonly log?: (line: string) => void
}

export type FaultTarget = Operation | 'connect'

/** Injected failure. It needs `status`, `delay` or `connection`. */
export interface Fault {
  /** `connect` is the opening of a WebSocket. Default: all operations, without `connect`. */
  readonly operation?: FaultTarget | readonly FaultTarget[]
  /** IDs, one of which must be in the path of a request or `user_id` of its body. For `connect`: room IDs. */
  readonly id?: string | readonly string[]
  /** Status of the response, from 400 to 599. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Body of the response, which is sent as JSON. */
  readonly body?: unknown
  /** Delay before the response, measured by the clock of the service. */
  readonly delay?: Duration
  /**
   * `reset`: no response. `cut`: the connection closes during the response, or after the WebSocket handshake.
   */
  readonly connection?: 'reset' | 'cut'
  /** `write`: the operation takes effect first. Default: `status` and `reset` prevent the operation. */
  readonly after?: 'write'
  /** Maximum number of requests that the fault changes. Default: 1, or no limit with `probability`. */
  readonly times?: number
  /** Probability that the fault changes a matching request, above 0 and at most 1. */
  readonly probability?: number
  /** Seed of the random choice. Equal seeds select the same requests. Default: 0. */
  readonly seed?: number
}

export interface AddedFault {
  /** Number of requests that the fault has changed. */
  readonly matched: number
  remove(): void
}

/** Attempt to deliver a webhook. */
export interface WebhookEvent {
  readonly type: 'sessionJoined' | 'sessionLeft'
  /** The `webhook-id`, equal for all attempts. */
  readonly id: string
  readonly url: string
  readonly payload: {
    readonly roomId: string
    readonly userId?: string
    readonly memberId: string
    readonly sessionId: string
    readonly sessionsCount: number
    readonly membersCount: number
    readonly timestamp: string
  }
  /** Body as it was sent. */
  readonly body: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Response status of the receiver, or the reason for a missing response. */
  readonly status: number | 'unreachable' | 'forbidden'
}

export interface CloseReport {
  /** Faults that no request has matched, as JSON. */
  readonly unmatchedFaults: readonly string[]
  /** Requests since the last reset that match no operation, such as `GET /v1/room`. */
  readonly unknownOperations: readonly string[]
}

export interface TestService extends AsyncDisposable {
  /** Base URL, including `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly seeded: Seeded
  readonly clock: {
    /** Time of the service in milliseconds since 1970. */
    now(): number
    /**
     * Moves the time forward, by at most 3650 days. Resolves after the due effects, such as webhook attempts.
     */
    advance(duration: Duration): Promise<void>
    freeze(): void
    resume(): void
  }
  readonly faults: {
    add(fault: Fault): AddedFault
    clear(): void
  }
  readonly webhooks: {
    /**
     * Returns the first matching attempt that no earlier call has returned. Waits up to `timeout` (default:
     * 2s).
     */
    next(matches?: (event: WebhookEvent) => boolean, options?: { timeout?: Duration }): Promise<WebhookEvent>
    /** Resolves when no attempt is running. Webhooks that wait for a retry do not count. */
    idle(): Promise<void>
  }
  /** Replaces the seed and resets the service. A string is the path of a JSON file. */
  seed(seed: Seed | string): Promise<void>
  /** Restores the seed and the real time. Removes all other data, sockets, webhooks and faults. */
  reset(): Promise<void>
  /** Stops the service. Further calls return the same promise. */
  close(): Promise<CloseReport>
}

/** Starts a Meeting Room Service. Resolves when it accepts connections. */
export declare function startService(options?: StartOptions): Promise<TestService>
