/** Room types, which decide who may join and replay the meeting (API specification, “Room”). */
export const roomTypes = ['open', 'public', 'private'] as const
export type RoomType = (typeof roomTypes)[number]

/** Roles of a user in a room (API specification, “Member”). */
export const memberTypes = ['guest', 'host', 'monitor'] as const
export type MemberType = (typeof memberTypes)[number]

/** Value of a deprecated field (API specification, “Room”). */
export const deprecated = '#DEPRECATED#'

export const endReasons = ['left', 'lost', 'kicked', 'ended'] as const
export type EndReason = (typeof endReasons)[number]

/** Events of a webhook (API specification, “Webhook”). */
export const webhookActions = ['sessionJoined', 'sessionLeft'] as const
export type WebhookAction = (typeof webhookActions)[number]

export const deliveryStates = ['waiting', 'delivered', 'given_up'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Default `limit` of lists (API specification, “Paging”). */
export const defaultLimit = 30
/** Maximum `limit` of the embedded service; the API specification (“Limits”) shows no maximum. */
export const maxLimit = 1000

/** Error code of the embedded service for a method and path without an operation. */
export const unknownOperation = 'unknown_operation'
