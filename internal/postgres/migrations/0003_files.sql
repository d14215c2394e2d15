-- Files that people sent on chat platforms. Their bytes are in the home of the server that has
-- the bot, under their hash.
CREATE TABLE files (
  owner_id TEXT COLLATE "C" NOT NULL,
  id       TEXT COLLATE "C" NOT NULL,
  kind     TEXT COLLATE "C" NOT NULL,  -- photo, voice or document
  name     TEXT COLLATE "C",
  mime     TEXT COLLATE "C",
  size     BIGINT NOT NULL,
  hash     BYTEA  NOT NULL,            -- SHA-256 of the bytes
  spoken   TEXT COLLATE "C",           -- what is said in a voice message
  run_id   TEXT COLLATE "C" NOT NULL,  -- the turn that it was kept for
  root_id  TEXT COLLATE "C",           -- the message that it came with; null before that one is stored
  seq      BIGINT,
  kept_at  BIGINT NOT NULL,
  PRIMARY KEY (owner_id, id)
);

CREATE INDEX files_message ON files (owner_id, root_id, seq) WHERE root_id IS NOT NULL;
CREATE INDEX files_kept ON files (kept_at);
