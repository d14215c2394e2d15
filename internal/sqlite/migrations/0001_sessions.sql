-- Times are milliseconds since 1970 (UTC): datetime(started_at/1000,'unixepoch').
-- Every key begins with the owner.

CREATE TABLE sessions (
  owner_id          TEXT    NOT NULL,
  id                TEXT    NOT NULL,
  root_id           TEXT    NOT NULL,
  parent_session_id TEXT,
  generation        INTEGER NOT NULL DEFAULT 0,
  is_tip            INTEGER NOT NULL DEFAULT 1,
  session_key       TEXT,
  source            TEXT    NOT NULL,
  user_id           TEXT,
  model             TEXT,
  system_prompt     TEXT,
  title             TEXT,
  title_source      TEXT,              -- derived, model or person; null without a title
  summary           TEXT,
  started_at        INTEGER NOT NULL,
  ended_at          INTEGER,
  end_reason        TEXT,
  last_active       INTEGER NOT NULL,
  message_count     INTEGER NOT NULL DEFAULT 0,
  tool_call_count   INTEGER NOT NULL DEFAULT 0,
  input_tokens      INTEGER NOT NULL DEFAULT 0,
  output_tokens     INTEGER NOT NULL DEFAULT 0,
  next_seq          INTEGER NOT NULL DEFAULT 0,
  tail_from         INTEGER NOT NULL DEFAULT 0,
  lineage_tokens    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX sessions_lineage ON sessions (owner_id, root_id, generation);
CREATE INDEX sessions_recent ON sessions (owner_id, last_active, root_id) WHERE is_tip = 1;
CREATE INDEX sessions_title ON sessions (owner_id, title) WHERE title IS NOT NULL;

-- The archive: rows are only ever appended, and erased on request.
CREATE TABLE messages (
  id            INTEGER PRIMARY KEY,
  owner_id      TEXT    NOT NULL,
  root_id       TEXT    NOT NULL,
  seq           INTEGER NOT NULL,
  session_id    TEXT    NOT NULL,
  session_key   TEXT,
  role          TEXT    NOT NULL,
  name          TEXT,
  content       TEXT    NOT NULL,
  wire          TEXT,
  tool_calls    TEXT,
  tool_call_id  TEXT,
  tool_name     TEXT,
  note          TEXT,
  said_at       INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  token_count   INTEGER NOT NULL DEFAULT 0,
  finish_reason TEXT,
  model         TEXT,
  receipt_id    TEXT,
  receipt       TEXT,
  undone_at     INTEGER,           -- when it was taken back; null while it stands
  hash          BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX messages_place ON messages (owner_id, root_id, seq);
CREATE INDEX messages_key ON messages (owner_id, session_key, id) WHERE session_key IS NOT NULL;
CREATE UNIQUE INDEX messages_receipt ON messages (owner_id, receipt_id) WHERE receipt_id IS NOT NULL;

CREATE TABLE facts (
  ord           INTEGER PRIMARY KEY,
  owner_id      TEXT    NOT NULL,
  root_id       TEXT    NOT NULL,
  seq           INTEGER NOT NULL,
  id            TEXT    NOT NULL,
  session_id    TEXT    NOT NULL,
  session_key   TEXT,
  message_id    INTEGER NOT NULL,
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
  proposed_by   TEXT,              -- the model that drew it; null for our own reading
  said_at       INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  when_from     INTEGER,
  when_to       INTEGER,
  superseded_by TEXT,
  superseded_at INTEGER,
  links         TEXT
) STRICT;

CREATE INDEX facts_place ON facts (owner_id, root_id, seq);
CREATE INDEX facts_key ON facts (owner_id, session_key, ord) WHERE session_key IS NOT NULL;

-- What models drew from messages, as it was accepted: data, for a rebuild takes
-- it in again. A row lives as long as the fact it became.
CREATE TABLE findings (
  ord         INTEGER PRIMARY KEY,
  owner_id    TEXT    NOT NULL,
  root_id     TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  session_key TEXT,
  quote_start INTEGER NOT NULL,
  quote_end   INTEGER NOT NULL,
  statement   TEXT    NOT NULL,
  proposed_by TEXT    NOT NULL,
  accepted_at INTEGER NOT NULL,
  after_id    INTEGER NOT NULL,    -- the newest message known by then
  fact_id     TEXT    NOT NULL
) STRICT;

CREATE INDEX findings_place ON findings (owner_id, root_id, ord);
CREATE INDEX findings_key ON findings (owner_id, session_key, ord) WHERE session_key IS NOT NULL;

-- How far each lineage has been studied.
CREATE TABLE studies (
  owner_id   TEXT    NOT NULL,
  root_id    TEXT    NOT NULL,
  facts_to   INTEGER NOT NULL,
  summarized INTEGER NOT NULL,
  titled     INTEGER NOT NULL,     -- 1 once a model was asked for a title
  vectors_to INTEGER NOT NULL,
  vectors_by TEXT,
  PRIMARY KEY (owner_id, root_id)
) STRICT, WITHOUT ROWID;

-- What models have yet to do behind the turns. A row goes when it is done.
CREATE TABLE work (
  owner_id   TEXT    NOT NULL,
  root_id    TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  state      TEXT    NOT NULL,     -- waiting or running
  wake_at    INTEGER NOT NULL,     -- when it is due, or the end of the lease
  asked      INTEGER NOT NULL,     -- how often it was asked for
  fence      INTEGER NOT NULL,     -- begins with the time, so that a row made anew has none of before
  attempts   INTEGER NOT NULL DEFAULT 0,
  error      TEXT,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, root_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX work_wake ON work (wake_at);

-- Derived: the meanings of messages. They can be emptied at will.
CREATE TABLE vectors (
  owner_id    TEXT    NOT NULL,
  root_id     TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  session_key TEXT,
  message_id  INTEGER NOT NULL,
  model       TEXT    NOT NULL,
  scale       REAL    NOT NULL,
  parts       BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX vectors_place ON vectors (owner_id, root_id, seq);
CREATE INDEX vectors_key ON vectors (owner_id, session_key, message_id) WHERE session_key IS NOT NULL;

-- Answers kept for repeated requests.
CREATE TABLE requests (
  owner_id   TEXT    NOT NULL,
  route      TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  body_hash  BLOB    NOT NULL,
  outcome    TEXT,              -- null until there is one
  root_id    TEXT,              -- where its input stands until then
  seq        INTEGER,
  count      INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, route, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_expiry ON requests (expires_at);

CREATE TABLE api_keys (
  owner_id   TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  hash       BLOB    NOT NULL,
  scopes     TEXT    NOT NULL,
  requests_per_minute INTEGER,  -- NULL: as the server has it; 0: no bound
  concurrent_turns    INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_keys_id ON api_keys (id);

-- What was forgotten, as hashes: an import must not bring it back unasked.
CREATE TABLE erasures (
  owner_id  TEXT    NOT NULL,
  hash      BLOB    NOT NULL,
  words     INTEGER NOT NULL,
  erased_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, hash)
) STRICT, WITHOUT ROWID;

-- Prompts with a schedule.
CREATE TABLE jobs (
  owner_id    TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  schedule    TEXT    NOT NULL,
  timezone    TEXT    NOT NULL,
  prompt      TEXT    NOT NULL,
  session_id  TEXT    NOT NULL,
  session_key TEXT,
  deliver     TEXT    NOT NULL,
  secret      TEXT,
  repeat      INTEGER NOT NULL DEFAULT 0,
  catch_up    TEXT    NOT NULL,
  model       TEXT,
  timeout     INTEGER NOT NULL,    -- milliseconds
  state       TEXT    NOT NULL,
  anchor      INTEGER NOT NULL,
  next_run_at INTEGER,
  fires       INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  last_run_at INTEGER,
  last_status TEXT,
  seen_own    INTEGER,             -- message ids
  seen_others INTEGER,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX jobs_name ON jobs (owner_id, name);
CREATE INDEX jobs_next ON jobs (next_run_at) WHERE next_run_at IS NOT NULL;

-- The ledger: a row for every due time, so that none fires twice.
CREATE TABLE job_runs (
  owner_id      TEXT    NOT NULL,
  job_id        TEXT    NOT NULL,
  due_at        INTEGER NOT NULL,
  id            TEXT    NOT NULL,
  status        TEXT    NOT NULL,
  reason        TEXT,
  manual        INTEGER NOT NULL DEFAULT 0,
  wake_at       INTEGER,           -- the next attempt, or the end of the lease
  fence         INTEGER NOT NULL DEFAULT 0,
  attempts      INTEGER NOT NULL DEFAULT 0,
  started_at    INTEGER,
  finished_at   INTEGER,
  output        TEXT,
  error         TEXT,
  session_id    TEXT,
  responder     TEXT,
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, job_id, due_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_runs_wake ON job_runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX job_runs_open ON job_runs (owner_id, job_id) WHERE wake_at IS NOT NULL;

-- The outbox: what runs said, on its way to where it is wanted.
CREATE TABLE deliveries (
  owner_id     TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  job_id       TEXT    NOT NULL,
  due_at       INTEGER NOT NULL,
  target       TEXT    NOT NULL,
  state        TEXT    NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  fence        INTEGER NOT NULL DEFAULT 0,
  wake_at      INTEGER,
  error        TEXT,
  created_at   INTEGER NOT NULL,
  delivered_at INTEGER,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX deliveries_run ON deliveries (owner_id, job_id, due_at);
CREATE INDEX deliveries_wake ON deliveries (wake_at) WHERE wake_at IS NOT NULL;

-- Turns that go on without their client, and what has happened in each.
CREATE TABLE runs (
  owner_id    TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  session_id  TEXT    NOT NULL,
  root_id     TEXT,              -- null until its turn has begun
  session_key TEXT,
  model       TEXT,
  state       TEXT    NOT NULL,
  on_restart  TEXT    NOT NULL,
  request     TEXT,
  turn        TEXT,              -- what is to be run; null once it is over
  first_seq   INTEGER NOT NULL DEFAULT 0,
  end_seq     INTEGER NOT NULL DEFAULT 0,
  result      TEXT,
  failure     TEXT,
  approvals   TEXT,
  client_key  TEXT,
  client_hash BLOB,
  created_at  INTEGER NOT NULL,
  started_at  INTEGER,
  finished_at INTEGER,
  attempts    INTEGER NOT NULL DEFAULT 0,
  fence       INTEGER NOT NULL DEFAULT 0,
  wake_at     INTEGER,           -- when it was queued, or the end of the lease; null once it is over
  events      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id)
) STRICT;

CREATE INDEX runs_wake ON runs (wake_at, owner_id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_open ON runs (owner_id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_newest ON runs (owner_id, created_at, id);
CREATE INDEX runs_root ON runs (owner_id, root_id) WHERE root_id IS NOT NULL;
CREATE INDEX runs_session ON runs (owner_id, session_id);
CREATE UNIQUE INDEX runs_client ON runs (owner_id, kind, client_key) WHERE client_key IS NOT NULL;

CREATE TABLE run_events (
  owner_id TEXT    NOT NULL,
  run_id   TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  type     TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  data     TEXT    NOT NULL,
  PRIMARY KEY (owner_id, run_id, seq)
) STRICT, WITHOUT ROWID;

-- Who did what and when. Rows are added, and dropped when they are old; nothing
-- changes one. "target" holds ids of ours, and of sessions a keyed hash.
CREATE TABLE audit (
  owner_id   TEXT    NOT NULL,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  actor      TEXT    NOT NULL,
  action     TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  target     TEXT    NOT NULL,
  request_id TEXT    NOT NULL,
  outcome    TEXT    NOT NULL,
  detail     TEXT    NOT NULL,
  hash       BLOB    NOT NULL,
  PRIMARY KEY (owner_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_at ON audit (owner_id, at);

CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Derived: filled after the commit, rebuilt at will. Nothing a turn needs
-- depends on it. Characters of writings without spaces are given to it in
-- pairs; "scope" has marks for what a search selects by and no message changes.
CREATE VIEW messages_text (id, content, scope) AS SELECT m.id, m.content,
  'o' || hex(m.owner_id) || '0 l' || hex(m.root_id) || '0' || coalesce(' k' || hex(m.session_key) || '0', '') ||
  ' r' || hex(m.role) || '0' || coalesce(' s' || hex(s.source) || '0', '')
  FROM messages m LEFT JOIN sessions s ON s.owner_id = m.owner_id AND s.id = m.session_id;

CREATE VIRTUAL TABLE messages_fts USING fts5(
  content, scope, content='messages_text', content_rowid='id',
  tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);
INSERT INTO messages_fts(messages_fts, rank) VALUES ('secure-delete', 1);
