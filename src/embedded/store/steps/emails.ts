/**
 * `user_emails` indexes users up to `emails_indexed`; it is created on demand because some SQLite builds lack full-text
 * search. `stale_emails` lists users whose entry is outdated.
 */
export const emailsStep = `
  ALTER TABLE workspace ADD COLUMN emails_indexed INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE stale_emails (seq INTEGER PRIMARY KEY) STRICT;
  CREATE TRIGGER email_changed AFTER UPDATE OF email ON users
  WHEN old.email IS NOT new.email AND old.seq <= (SELECT emails_indexed FROM workspace) BEGIN
    INSERT OR IGNORE INTO stale_emails VALUES (old.seq);
  END;
  CREATE TRIGGER email_deleted AFTER DELETE ON users
  WHEN old.seq <= (SELECT emails_indexed FROM workspace) BEGIN
    INSERT OR IGNORE INTO stale_emails VALUES (old.seq);
  END;
`
