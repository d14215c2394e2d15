-- External memory providers: the one in use, and since when without a break.
CREATE TABLE providers (
  provider   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  running    BOOLEAN NOT NULL,         -- in use
  since_at   BIGINT NOT NULL
);

-- What a provider calls a session key, a lineage, or a speaker. A name is never used again.
CREATE TABLE provider_names (
  owner_id   TEXT COLLATE "C" NOT NULL,
  provider   TEXT COLLATE "C" NOT NULL,
  name       TEXT COLLATE "C" NOT NULL,
  source     TEXT COLLATE "C" NOT NULL,       -- k: a session key, r: a root, s: a speaker in a place
  generation BIGINT NOT NULL,
  current    BOOLEAN NOT NULL,       -- the place was not emptied
  PRIMARY KEY (owner_id, provider, name)
);

CREATE INDEX provider_names_source ON provider_names (owner_id, source, provider);

-- How far a lineage was looked at for a provider.
CREATE TABLE provider_lineages (
  owner_id   TEXT COLLATE "C" NOT NULL,
  provider   TEXT COLLATE "C" NOT NULL,
  root_id    TEXT COLLATE "C" NOT NULL,
  done_to    BIGINT NOT NULL,
  backfill   BOOLEAN NOT NULL,         -- what was said before the provider was in use is told, too
  PRIMARY KEY (owner_id, root_id, provider)
);

-- The parts of a lineage that a place was told.
CREATE TABLE provider_marks (
  owner_id   TEXT COLLATE "C" NOT NULL,
  provider   TEXT COLLATE "C" NOT NULL,
  root_id    TEXT COLLATE "C" NOT NULL,
  source     TEXT COLLATE "C" NOT NULL,
  told_from  BIGINT NOT NULL,
  told_to    BIGINT NOT NULL,
  sent_to    BIGINT NOT NULL,        -- raised before a call
  PRIMARY KEY (owner_id, root_id, provider, source, told_from)
);

CREATE INDEX provider_marks_source ON provider_marks (owner_id, provider, source);
CREATE INDEX provider_marks_unsure ON provider_marks (owner_id, provider, source) WHERE sent_to > told_to;

-- Parts of lineages that no provider is told.
CREATE TABLE provider_skips (
  owner_id   TEXT COLLATE "C" NOT NULL,
  root_id    TEXT COLLATE "C" NOT NULL,
  from_seq   BIGINT NOT NULL,
  to_seq     BIGINT NOT NULL,
  never      BOOLEAN NOT NULL,         -- the turn of a job, or a copy, and no import
  PRIMARY KEY (owner_id, root_id, from_seq)
);

-- What was forgotten here and is yet to be forgotten at a provider.
CREATE TABLE provider_debts (
  owner_id   TEXT COLLATE "C" NOT NULL,
  provider   TEXT COLLATE "C" NOT NULL,
  name       TEXT COLLATE "C" NOT NULL,
  message_id BIGINT NOT NULL,       -- 0: the whole place
  owed_at    BIGINT NOT NULL,
  asked_at   BIGINT,                -- when the provider took the request
  wake_at    BIGINT,                -- when it is tried next; null: never again
  attempts   BIGINT NOT NULL DEFAULT 0,
  error      TEXT COLLATE "C",
  PRIMARY KEY (owner_id, provider, name, message_id)
);

CREATE INDEX provider_debts_wake ON provider_debts (provider, wake_at) WHERE wake_at IS NOT NULL;
