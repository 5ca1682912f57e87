/**
 * The schema step for searching e-mails. `user_emails` indexes them up to the user `emails_indexed`, and is made with the
 * first of them: not every SQLite can. `stale_emails` lists the users of whom it says what is no longer so.
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
