-- Files that people sent on chat platforms. Their bytes are in the directory files, under their
-- hash.
CREATE TABLE files (
  owner_id TEXT    NOT NULL,
  id       TEXT    NOT NULL,
  kind     TEXT    NOT NULL,         -- photo, voice or document
  name     TEXT,
  mime     TEXT,
  size     INTEGER NOT NULL,
  hash     BLOB    NOT NULL,         -- SHA-256 of the bytes
  spoken   TEXT,                     -- what is said in a voice message
  run_id   TEXT    NOT NULL,         -- the turn that it was kept for
  root_id  TEXT,                     -- the message that it came with; null before that one is stored
  seq      INTEGER,
  kept_at  INTEGER NOT NULL,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX files_message ON files (owner_id, root_id, seq) WHERE root_id IS NOT NULL;
CREATE INDEX files_kept ON files (kept_at);
