-- Message ids are counted for each owner, in a range of 2^33 ids that is the owner's
-- alone: an id tells nothing of what other owners do. range_id << 33 is the range's
-- first id. Range 0 is the local owner's; others get a range with their next message,
-- and what they said before stays in range 0. No range has an owner whose ids an
-- import once brought from far above.
CREATE TABLE id_ranges (
  range_id INTEGER PRIMARY KEY,
  owner_id TEXT    UNIQUE,
  newest   INTEGER NOT NULL,       -- newest id that was ever indexed: it is not given out again
  whole    INTEGER NOT NULL        -- every message of the range up to here is indexed
) STRICT;

INSERT INTO id_ranges (range_id, owner_id, newest, whole) VALUES (0,
  CASE WHEN EXISTS (SELECT 1 FROM messages WHERE owner_id = 'local' AND id >= 8589934592) THEN NULL ELSE 'local' END,
  min(coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'fts_upto'), 0), 8589934591),
  min(coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'fts_whole'), 0), 8589934591));
INSERT INTO id_ranges (range_id, newest, whole) SELECT id >> 33, max(id), 0 FROM messages WHERE id >= 8589934592 GROUP BY 1;
DELETE FROM meta WHERE name IN ('fts_upto', 'fts_whole');
