/**
 * The schema step for deleting large things: `sweeps` lists the rooms and users that are deleted and of which something
 * is left. Of a room nobody sees what is left, as every way to it leads through the room. Of a user, memberships are
 * left, which `present_members` hides.
 */
export const sweepsStep = `
  CREATE TABLE sweeps (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
  CREATE VIEW present_members AS SELECT * FROM members
    WHERE NOT EXISTS (SELECT 1 FROM sweeps WHERE kind = 'user' AND sweeps.id = members.user_id);
`
