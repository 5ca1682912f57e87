/** The schema step that records why sessions ended. The reason is null for open sessions and for those that ended before. */
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
