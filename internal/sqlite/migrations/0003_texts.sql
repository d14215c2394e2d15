-- What requests said beside their messages: system prompts, tools, settings. A text is
-- stored once for its owner, and goes with the last lineage that was sent it.
CREATE TABLE texts (
  id       INTEGER PRIMARY KEY,
  owner_id TEXT    NOT NULL,
  hash     BLOB    NOT NULL,       -- SHA-256 of the text
  content  TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX texts_hash ON texts (owner_id, hash);

CREATE TABLE text_uses (
  owner_id TEXT    NOT NULL,
  root_id  TEXT    NOT NULL,
  text_id  INTEGER NOT NULL,
  PRIMARY KEY (owner_id, root_id, text_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX text_uses_text ON text_uses (text_id);

-- Of answers: the ids of the texts that were sent, as a JSON array.
ALTER TABLE messages ADD COLUMN frame TEXT;
