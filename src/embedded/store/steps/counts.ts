/**
 * Migration that stores row counts per block of 1,024 `seq` values. Block -1 is the sum of the other blocks.
 */
export const countsStep = `
  ALTER TABLE workspace ADD COLUMN users_counted INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE workspace ADD COLUMN rooms_counted INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE user_counts (block INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
  CREATE VIEW user_places AS
    SELECT seq, CASE total WHEN 1 THEN -1 ELSE seq >> 10 END AS block
    FROM users, (SELECT 0 AS total UNION ALL SELECT 1);

  CREATE TABLE room_counts (
    layout TEXT NOT NULL,
    terminated INTEGER NOT NULL,
    block INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (layout, terminated, block)
  ) STRICT, WITHOUT ROWID;
  CREATE VIEW room_places AS
    SELECT seq, CASE every WHEN 1 THEN '' ELSE '=' || layout END AS layout,
      terminated_at IS NOT NULL AS terminated, CASE total WHEN 1 THEN -1 ELSE seq >> 10 END AS block
    FROM rooms, (SELECT 0 AS total UNION ALL SELECT 1), (SELECT 0 AS every UNION ALL SELECT 1);

  INSERT INTO user_counts SELECT block, count(*) FROM user_places
    WHERE seq < (SELECT max(seq) FROM users) >> 10 << 10 GROUP BY block;
  INSERT INTO room_counts SELECT layout, terminated, block, count(*) FROM room_places
    WHERE seq < (SELECT max(seq) FROM rooms) >> 10 << 10 GROUP BY layout, terminated, block;
  UPDATE workspace SET
    users_counted = coalesce((SELECT max(seq) FROM users) >> 10 << 10, 0),
    rooms_counted = coalesce((SELECT max(seq) FROM rooms) >> 10 << 10, 0);

  CREATE TRIGGER count_users AFTER INSERT ON users
  WHEN new.seq >= (SELECT users_counted FROM workspace) + 1024 BEGIN
    INSERT INTO user_counts SELECT block, count(*) FROM user_places
      WHERE seq >= (SELECT users_counted FROM workspace) AND seq < new.seq >> 10 << 10 GROUP BY block
      ON CONFLICT DO UPDATE SET count = count + excluded.count;
    UPDATE workspace SET users_counted = new.seq >> 10 << 10;
  END;
  CREATE TRIGGER uncount_user AFTER DELETE ON users
  WHEN old.seq < (SELECT users_counted FROM workspace) BEGIN
    UPDATE user_counts SET count = count - 1 WHERE block IN (-1, old.seq >> 10);
    DELETE FROM user_counts WHERE block = old.seq >> 10 AND count = 0;
  END;

  CREATE TRIGGER count_rooms AFTER INSERT ON rooms
  WHEN new.seq >= (SELECT rooms_counted FROM workspace) + 1024 BEGIN
    INSERT INTO room_counts SELECT layout, terminated, block, count(*) FROM room_places
      WHERE seq >= (SELECT rooms_counted FROM workspace) AND seq < new.seq >> 10 << 10
      GROUP BY layout, terminated, block
      ON CONFLICT DO UPDATE SET count = count + excluded.count;
    UPDATE workspace SET rooms_counted = new.seq >> 10 << 10;
  END;
  CREATE TRIGGER uncount_room AFTER DELETE ON rooms
  WHEN old.seq < (SELECT rooms_counted FROM workspace) BEGIN
    UPDATE room_counts SET count = count - 1
      WHERE layout IN ('', '=' || old.layout) AND terminated = (old.terminated_at IS NOT NULL)
        AND block IN (-1, old.seq >> 10);
    DELETE FROM room_counts
      WHERE layout IN ('', '=' || old.layout) AND terminated = (old.terminated_at IS NOT NULL)
        AND block = old.seq >> 10 AND count = 0;
  END;
  CREATE TRIGGER recount_room AFTER UPDATE OF layout, terminated_at ON rooms
  WHEN (old.layout <> new.layout OR (old.terminated_at IS NULL) <> (new.terminated_at IS NULL))
    AND old.seq < (SELECT rooms_counted FROM workspace) BEGIN
    UPDATE room_counts SET count = count - 1
      WHERE layout IN ('', '=' || old.layout) AND terminated = (old.terminated_at IS NOT NULL)
        AND block IN (-1, old.seq >> 10);
    INSERT INTO room_counts SELECT layout, terminated, block, 1 FROM room_places WHERE seq = new.seq
      ON CONFLICT DO UPDATE SET count = count + 1;
    DELETE FROM room_counts
      WHERE layout IN ('', '=' || old.layout) AND terminated = (old.terminated_at IS NOT NULL)
        AND block = old.seq >> 10 AND count = 0;
  END;

  CREATE INDEX rooms_by_layout_and_termination ON rooms (layout, (terminated_at IS NOT NULL), seq);
  DROP INDEX rooms_by_name;
  CREATE INDEX rooms_by_name ON rooms (name, seq, layout, terminated_at);
  DROP INDEX sessions_by_user;
  CREATE INDEX sessions_by_user ON sessions (room_id, user_id, seq, disconnected_at);
`

/** Migration that removes the insert triggers, which made inserts a fifth slower. */
export const countedByProgramStep = `
  DROP TRIGGER count_users;
  DROP TRIGGER count_rooms;
`
