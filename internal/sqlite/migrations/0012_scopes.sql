-- A row for each scope of memory: a session key, or a lineage's messages without a key.
-- It is made with the scope's first message, and goes with its last one.
CREATE TABLE scopes (
  id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
  owner_id    TEXT    NOT NULL,
  session_key TEXT    NOT NULL,    -- '' for a lineage
  root_id     TEXT    NOT NULL,    -- '' for a session key
  version     INTEGER NOT NULL,    -- counts the writes of messages and facts
  edition     INTEGER NOT NULL,    -- counts the changes of pieces, and of what they hold
  newest      INTEGER NOT NULL,    -- newest message id so far
  covered     INTEGER NOT NULL,    -- newest message id that a piece covered so far
  stale       INTEGER NOT NULL,    -- 1: places on the shelf are to be computed again
  withdrawn   TEXT                 -- messages in pieces that were undone: [[first id, last id], …]
) STRICT;

CREATE UNIQUE INDEX scopes_name ON scopes (owner_id, session_key, root_id);

INSERT INTO scopes (owner_id, session_key, root_id, version, edition, newest, covered, stale)
  SELECT owner_id, session_key, '', 1, 1, max(id), 0, 0 FROM messages WHERE session_key IS NOT NULL GROUP BY owner_id, session_key
  UNION ALL SELECT owner_id, '', root_id, 1, 1, max(id), 0, 0 FROM messages WHERE session_key IS NULL GROUP BY owner_id, root_id;

-- Derived: the index over a scope's messages or facts, in immutable pieces. A piece in the
-- state "making" belongs to no manifest yet, a "dead" or "erased" one no longer: its blocks
-- are deleted behind the turns, and those of an erased piece from the log, too.
CREATE TABLE pieces (
  id       INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
  owner_id TEXT    NOT NULL,
  scope_id INTEGER NOT NULL,
  kind     TEXT    NOT NULL,       -- messages or facts
  state    TEXT    NOT NULL,       -- making, live, dead or erased
  format   INTEGER NOT NULL,
  first_id INTEGER NOT NULL,       -- message ids, both ends included
  last_id  INTEGER NOT NULL,
  count    INTEGER NOT NULL,       -- of messages or facts
  blocks   INTEGER NOT NULL
) STRICT;

CREATE INDEX pieces_live ON pieces (scope_id, kind, first_id) WHERE state = 'live';
CREATE INDEX pieces_rest ON pieces (scope_id, state) WHERE state <> 'live';

-- Blocks by piece and number: id is piece << 16 | number.
CREATE TABLE piece_blocks (
  id   INTEGER PRIMARY KEY,
  data BLOB    NOT NULL
) STRICT;

-- Facts get numbers: message id << 10 | ordinal in the message. What the numbers do not
-- tell cannot be computed here, so all facts are deleted, and the next start distils them
-- again from the messages.
INSERT OR REPLACE INTO meta (name, value) SELECT 'facts_lost', '1' WHERE EXISTS (SELECT 1 FROM facts);

DROP TABLE facts;

CREATE TABLE facts (
  number        INTEGER PRIMARY KEY,
  owner_id      TEXT    NOT NULL,
  scope_id      INTEGER NOT NULL,
  root_id       TEXT    NOT NULL,
  seq           INTEGER NOT NULL,
  id            TEXT    NOT NULL,
  session_id    TEXT    NOT NULL,
  kind          TEXT    NOT NULL,
  role          TEXT    NOT NULL,
  speaker       TEXT,
  quote         TEXT    NOT NULL,
  quote_start   INTEGER NOT NULL,
  quote_end     INTEGER NOT NULL,
  statement     TEXT,              -- null when it is the quote
  subject       TEXT,
  attribute     TEXT,
  value         TEXT,
  because       TEXT,
  said_at       INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  when_from     INTEGER,
  when_to       INTEGER,
  superseded_by TEXT,
  superseded_at INTEGER,
  doubted_by    TEXT,              -- newest fact that perhaps replaced it
  links         TEXT,
  section       INTEGER,           -- place on the shelf; null if it is not shown
  weight        INTEGER
) STRICT;

CREATE INDEX facts_place ON facts (owner_id, root_id, seq);
CREATE INDEX facts_scope ON facts (scope_id, id);
CREATE INDEX facts_order ON facts (scope_id);
CREATE INDEX facts_shelf ON facts (scope_id, section, weight) WHERE section IS NOT NULL;
