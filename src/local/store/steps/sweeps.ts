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

/**
 * The schema step that brings the sweep of a user to its end before somebody else gets the id: who had it before leaves
 * no memberships. A trigger, because nearly always there is nothing to do, and asking takes a statement per new user.
 */
export const reusedIdsStep = `
  CREATE TRIGGER id_reused AFTER INSERT ON users
  WHEN EXISTS (SELECT 1 FROM sweeps WHERE kind = 'user' AND id = new.user_id) BEGIN
    DELETE FROM members WHERE user_id = new.user_id;
    DELETE FROM sweeps WHERE kind = 'user' AND id = new.user_id;
  END;
`
