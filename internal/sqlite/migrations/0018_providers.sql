-- External memory providers: the one in use, and since when without a break.
CREATE TABLE providers (
  provider TEXT    NOT NULL PRIMARY KEY,
  running  INTEGER NOT NULL,         -- 1: in use
  since_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a provider calls a session key, a lineage, or a speaker. A name is never used again.
CREATE TABLE provider_names (
  owner_id   TEXT    NOT NULL,
  provider   TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  source     TEXT    NOT NULL,       -- k: a session key, r: a root, s: a speaker in a place
  generation INTEGER NOT NULL,
  current    INTEGER NOT NULL,       -- 0: the place was emptied
  PRIMARY KEY (owner_id, provider, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX provider_names_source ON provider_names (owner_id, source, provider);

-- How far a lineage was looked at for a provider.
CREATE TABLE provider_lineages (
  owner_id TEXT    NOT NULL,
  provider TEXT    NOT NULL,
  root_id  TEXT    NOT NULL,
  done_to  INTEGER NOT NULL,
  backfill INTEGER NOT NULL,         -- 1: what was said before the provider was in use is told, too
  PRIMARY KEY (owner_id, root_id, provider)
) STRICT, WITHOUT ROWID;

-- The parts of a lineage that a place was told.
CREATE TABLE provider_marks (
  owner_id  TEXT    NOT NULL,
  provider  TEXT    NOT NULL,
  root_id   TEXT    NOT NULL,
  source    TEXT    NOT NULL,
  told_from INTEGER NOT NULL,
  told_to   INTEGER NOT NULL,
  sent_to   INTEGER NOT NULL,        -- raised before a call
  PRIMARY KEY (owner_id, root_id, provider, source, told_from)
) STRICT, WITHOUT ROWID;

CREATE INDEX provider_marks_source ON provider_marks (owner_id, provider, source);
CREATE INDEX provider_marks_unsure ON provider_marks (owner_id, provider, source) WHERE sent_to > told_to;

-- Parts of lineages that no provider is told.
CREATE TABLE provider_skips (
  owner_id TEXT    NOT NULL,
  root_id  TEXT    NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq   INTEGER NOT NULL,
  never    INTEGER NOT NULL,         -- 1: the turn of a job, or a copy; 0: an import
  PRIMARY KEY (owner_id, root_id, from_seq)
) STRICT, WITHOUT ROWID;

-- What was forgotten here and is yet to be forgotten at a provider.
CREATE TABLE provider_debts (
  owner_id   TEXT    NOT NULL,
  provider   TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  message_id INTEGER NOT NULL,       -- 0: the whole place
  owed_at    INTEGER NOT NULL,
  asked_at   INTEGER,                -- when the provider took the request
  wake_at    INTEGER,                -- when it is tried next; null: never again
  attempts   INTEGER NOT NULL DEFAULT 0,
  error      TEXT,
  PRIMARY KEY (owner_id, provider, name, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX provider_debts_wake ON provider_debts (provider, wake_at) WHERE wake_at IS NOT NULL;
