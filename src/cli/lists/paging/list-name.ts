/** The operations that list. */
export type ListName = 'listRooms' | 'listMembers' | 'listUsers' | 'listSessions'
