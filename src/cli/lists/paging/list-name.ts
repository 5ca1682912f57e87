export type ListName =
  | 'listRooms'
  | 'listMembers'
  | 'listUsers'
  | 'listSessions'
  | 'listPages'
  | 'listDeliveries'
