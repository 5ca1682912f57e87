/** The vocabulary of the API document. */

/** Section 2.1: decides who may join and replay the meeting. */
export const roomTypes = ['open', 'public', 'private'] as const
export type RoomType = (typeof roomTypes)[number]

/** Section 2.2: the role of a user in a room. */
export const memberTypes = ['guest', 'host', 'monitor'] as const
export type MemberType = (typeof memberTypes)[number]

/** Section 2.1: what a deprecated field carries. */
export const deprecated = '#DEPRECATED#'

/** Why a session ended: its peer closed it, its connection was lost, its user was blocked or deleted, or the service ended it. */
export const endReasons = ['left', 'lost', 'kicked', 'ended'] as const
export type EndReason = (typeof endReasons)[number]

/** Section 2.6. */
export const defaultLimit = 30
/** The greatest `limit` of the embedded service: section 8 gives none. */
export const maxLimit = 1000

/** The error code of the embedded service for a method and path that the API does not have. */
export const unknownOperation = 'unknown_operation'
