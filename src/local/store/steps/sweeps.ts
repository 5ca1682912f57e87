/**
 * The schema step for deleting large rooms: `sweeps` lists the rooms that are deleted and of which something is left.
 * Nobody sees what is left, as every way to it leads through the room.
 */
export const sweepsStep = `
  CREATE TABLE sweeps (room_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`
