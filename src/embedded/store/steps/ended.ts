/**
 * Migration for deferred session ends. The views show the changes in `ended_sessions` and `ended_members`.
 */
export const endedStep = `
  CREATE TABLE ended_sessions (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
  CREATE TABLE ended_members (seq INTEGER PRIMARY KEY) STRICT;

  CREATE VIEW present_sessions AS
    SELECT seq, id, member_id, user_id, room_id, connected_at, disconnected_at IS NULL AS is_open,
      coalesce(disconnected_at,
        (SELECT max(connected_at, at) FROM ended_sessions WHERE ended_sessions.seq = sessions.seq)
      ) AS disconnected_at
    FROM sessions;
  DROP VIEW present_members;
  CREATE VIEW present_members AS SELECT * FROM members
    WHERE CASE WHEN user_id IS NULL
      THEN NOT EXISTS (SELECT 1 FROM ended_members WHERE ended_members.seq = members.seq)
      ELSE NOT EXISTS (SELECT 1 FROM sweeps WHERE kind = 'user' AND sweeps.id = members.user_id) END;

  CREATE TABLE packed_moves (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    room_id TEXT NOT NULL,
    target TEXT NOT NULL,
    moves TEXT NOT NULL
  ) STRICT;
  CREATE INDEX packed_moves_by_room ON packed_moves (room_id, seq);
`

export const endReasonStep = `
  ALTER TABLE sessions ADD COLUMN end_reason TEXT;
  ALTER TABLE ended_sessions ADD COLUMN reason TEXT;

  DROP VIEW present_sessions;
  CREATE VIEW present_sessions AS
    SELECT seq, id, member_id, user_id, room_id, connected_at, disconnected_at IS NULL AS is_open,
      coalesce(disconnected_at,
        (SELECT max(connected_at, at) FROM ended_sessions WHERE ended_sessions.seq = sessions.seq)
      ) AS disconnected_at,
      coalesce(end_reason,
        (SELECT reason FROM ended_sessions WHERE ended_sessions.seq = sessions.seq)
      ) AS end_reason
    FROM sessions;
`
