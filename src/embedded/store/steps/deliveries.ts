/** Migration for finished deliveries and redeliveries: see `DeliveryRow`. */
export const deliveriesStep = `
  ALTER TABLE deliveries ADD COLUMN state TEXT NOT NULL DEFAULT 'waiting';
  ALTER TABLE deliveries ADD COLUMN redeliveries INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE deliveries ADD COLUMN round_start INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE deliveries ADD COLUMN round_at INTEGER;
  ALTER TABLE deliveries ADD COLUMN last_at INTEGER;
  ALTER TABLE deliveries ADD COLUMN last_status INTEGER;
  ALTER TABLE deliveries ADD COLUMN last_error TEXT;
  ALTER TABLE deliveries ADD COLUMN last_body TEXT;
  ALTER TABLE deliveries ADD COLUMN finished_at INTEGER;

  DROP INDEX deliveries_by_room;
  CREATE INDEX deliveries_waiting ON deliveries (room_id, seq) WHERE finished_at IS NULL;
  CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;
`
