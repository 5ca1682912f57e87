/** `sweeps` lists deleted rooms and users with rows left. `present_members` hides the memberships of such users. */
export const sweepsStep = `
  CREATE TABLE sweeps (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
  CREATE VIEW present_members AS SELECT * FROM members
    WHERE NOT EXISTS (SELECT 1 FROM sweeps WHERE kind = 'user' AND sweeps.id = members.user_id);
`
