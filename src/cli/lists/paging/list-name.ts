/** Names of the list operations. */
export type ListName = 'listRooms' | 'listMembers' | 'listUsers' | 'listSessions'
