import { countedByProgramStep, countsStep } from './steps/counts.ts'
import { deliveriesStep } from './steps/deliveries.ts'
import { endedStep, endReasonStep } from './steps/ended.ts'

/** Migration for deletions in steps. `sweeps` holds rooms and users whose deletion is unfinished. */
const sweepsStep = `
  CREATE TABLE sweeps (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
  CREATE VIEW present_members AS SELECT * FROM members
    WHERE NOT EXISTS (SELECT 1 FROM sweeps WHERE kind = 'user' AND sweeps.id = members.user_id);
`

/** Migration for a full-text index of emails (`user_emails`), which earlier versions created on demand. */
const emailsStep = `
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

const clientsStep = `
  ALTER TABLE members ADD COLUMN access_token TEXT;
  UPDATE members SET access_token = id || '.' || lower(hex(randomblob(24))) WHERE user_id IS NOT NULL;

  ALTER TABLE sessions ADD COLUMN ip_address TEXT;
  ALTER TABLE sessions ADD COLUMN user_agent TEXT;
  DROP VIEW present_sessions;
  CREATE VIEW present_sessions AS
    SELECT seq, id, member_id, user_id, room_id, connected_at, disconnected_at IS NULL AS is_open,
      coalesce(disconnected_at,
        (SELECT max(connected_at, at) FROM ended_sessions WHERE ended_sessions.seq = sessions.seq)
      ) AS disconnected_at,
      coalesce(end_reason,
        (SELECT reason FROM ended_sessions WHERE ended_sessions.seq = sessions.seq)
      ) AS end_reason,
      ip_address, user_agent
    FROM sessions;
`

/** Migration that removes stored counts and indexes on demand. `migrate` drops the full-text index. */
const plainStep = `
  DROP TRIGGER email_changed;
  DROP TRIGGER email_deleted;
  DROP TABLE stale_emails;
  DROP TRIGGER uncount_user;
  DROP TRIGGER uncount_room;
  DROP TRIGGER recount_room;
  DROP VIEW user_places;
  DROP VIEW room_places;
  DROP TABLE user_counts;
  DROP TABLE room_counts;
  ALTER TABLE workspace DROP COLUMN emails_indexed;
  ALTER TABLE workspace DROP COLUMN users_counted;
  ALTER TABLE workspace DROP COLUMN rooms_counted;

  DROP INDEX IF EXISTS members_by_creation;
  DROP INDEX IF EXISTS sessions_by_connection;
  DROP INDEX IF EXISTS pages_by_creation;
  DROP INDEX IF EXISTS rooms_by_creation;
  DROP INDEX IF EXISTS users_by_creation;
`

/** Migrations, one per `user_version`. Never edit a released migration. Times are Unix milliseconds. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE workspace (application_id TEXT NOT NULL) STRICT;
  INSERT INTO workspace VALUES (lower(hex(randomblob(12))));

  CREATE TABLE rooms (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    layout TEXT NOT NULL,
    record INTEGER NOT NULL,
    max_meeting_seconds INTEGER,
    meeting_ms INTEGER NOT NULL DEFAULT 0,
    webhook TEXT,
    started_at INTEGER,
    terminated_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX rooms_by_name ON rooms (name, seq);
  CREATE INDEX rooms_by_layout ON rooms (layout, seq);
  CREATE INDEX rooms_by_termination ON rooms ((terminated_at IS NOT NULL), seq);

  CREATE TABLE users (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL UNIQUE,
    name TEXT,
    profile_url TEXT,
    default_member_type TEXT NOT NULL,
    email TEXT,
    access_token TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE members (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
    user_id TEXT REFERENCES users (user_id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    name TEXT,
    is_blocked INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (room_id, user_id)
  ) STRICT;
  CREATE INDEX members_by_room ON members (room_id, seq);
  CREATE INDEX members_by_user ON members (user_id);

  CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
    member_id TEXT NOT NULL,
    user_id TEXT,
    connected_at INTEGER NOT NULL,
    disconnected_at INTEGER
  ) STRICT;
  CREATE INDEX sessions_by_room ON sessions (room_id, (disconnected_at IS NULL), seq);
  CREATE INDEX sessions_by_user ON sessions (room_id, user_id, seq);

  CREATE TABLE pages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    width REAL,
    height REAL,
    entities TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX pages_by_room ON pages (room_id, position);
  `,
  `
  ALTER TABLE workspace ADD COLUMN alive_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN type TEXT NOT NULL DEFAULT 'guest';
  ALTER TABLE rooms ADD COLUMN webhook_gone INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX sessions_in_order ON sessions (room_id, seq);
  CREATE INDEX sessions_open ON sessions (seq) WHERE disconnected_at IS NULL;

  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    room_id TEXT NOT NULL,
    target TEXT NOT NULL,
    body TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_by_room ON deliveries (room_id, seq);
  `,
  `
  ALTER TABLE rooms ADD COLUMN unlisted TEXT;
  ALTER TABLE users ADD COLUMN unlisted TEXT;
  ALTER TABLE members ADD COLUMN unlisted TEXT;

  ALTER TABLE rooms ADD COLUMN meeting_from_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE rooms SET meeting_from_ms = meeting_ms
    WHERE terminated_at IS NULL AND meeting_ms >= max_meeting_seconds * 1000;
  `,
  countsStep,
  emailsStep,
  sweepsStep,
  countedByProgramStep,
  endedStep,
  'ALTER TABLE pages ADD COLUMN unlisted TEXT',
  endReasonStep,
  // Keeps the numbers of the later migrations.
  '',
  clientsStep,
  deliveriesStep,
  plainStep,
]
