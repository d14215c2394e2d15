-- Times are milliseconds since 1970 (UTC): to_timestamp(started_at / 1000.0).
-- Every primary key begins with the owner, so that the tables can be distributed by owner.
-- Texts compare byte by byte, whatever the locale of the database is.

-- A row for each owner. A write of an owner locks the owner's row first, so an owner's
-- writes are executed one after the other, on whatever node.
CREATE TABLE owners (
  owner_id TEXT COLLATE "C" PRIMARY KEY
);

-- Message ids are counted for each owner: range_id << 33 | counter. The range is drawn by
-- chance, so an id tells nothing of what other owners do.
CREATE TABLE id_ranges (
  owner_id    TEXT COLLATE "C" PRIMARY KEY,
  range_id    BIGINT      NOT NULL,
  newest      BIGINT      NOT NULL,    -- newest id that was given out
  reserved_at TIMESTAMPTZ NOT NULL,    -- when that was
  gaps        BIGINT[]    NOT NULL     -- ids that imports have skipped: first, last, first, last…
);

-- Keys for hashes, and other values of the whole store.
CREATE TABLE meta (
  name  TEXT COLLATE "C" PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE sessions (
  owner_id          TEXT COLLATE "C"    NOT NULL,
  id                TEXT COLLATE "C"    NOT NULL,
  root_id           TEXT COLLATE "C"    NOT NULL,
  parent_session_id TEXT COLLATE "C",
  generation        BIGINT  NOT NULL,
  is_tip            BOOLEAN NOT NULL,
  session_key       TEXT COLLATE "C",
  source            TEXT COLLATE "C"    NOT NULL,
  user_id           TEXT COLLATE "C",
  model             TEXT COLLATE "C",
  system_prompt     TEXT COLLATE "C",
  title             TEXT COLLATE "C",
  title_source      TEXT COLLATE "C",              -- derived, model or person; null without a title
  summary           TEXT COLLATE "C",
  started_at        BIGINT  NOT NULL,
  ended_at          BIGINT,
  end_reason        TEXT COLLATE "C",
  last_active       BIGINT  NOT NULL,
  message_count     BIGINT  NOT NULL,
  tool_call_count   BIGINT  NOT NULL,
  input_tokens      BIGINT  NOT NULL,
  output_tokens     BIGINT  NOT NULL,
  next_seq          BIGINT  NOT NULL,
  tail_from         BIGINT  NOT NULL,
  lineage_tokens    BIGINT  NOT NULL,
  metadata          TEXT COLLATE "C",              -- a JSON object of strings; null for none
  PRIMARY KEY (owner_id, id)
);

CREATE UNIQUE INDEX sessions_lineage ON sessions (owner_id, root_id, generation);
CREATE INDEX sessions_recent ON sessions (owner_id, last_active, root_id) WHERE is_tip;
CREATE INDEX sessions_title ON sessions (owner_id, title) WHERE title IS NOT NULL;

-- The archive: rows are only ever appended, and erased on request.
CREATE TABLE messages (
  owner_id      TEXT COLLATE "C"    NOT NULL,
  id            BIGINT  NOT NULL,
  root_id       TEXT COLLATE "C"    NOT NULL,
  seq           BIGINT  NOT NULL,
  session_id    TEXT COLLATE "C"    NOT NULL,
  session_key   TEXT COLLATE "C",
  role          TEXT COLLATE "C"    NOT NULL,
  name          TEXT COLLATE "C",
  content       TEXT COLLATE "C"    NOT NULL,
  wire          TEXT COLLATE "C",
  tool_calls    TEXT COLLATE "C",
  tool_call_id  TEXT COLLATE "C",
  tool_name     TEXT COLLATE "C",
  note          TEXT COLLATE "C",
  said_at       BIGINT  NOT NULL,
  recorded_at   BIGINT  NOT NULL,
  token_count   BIGINT  NOT NULL,
  finish_reason TEXT COLLATE "C",
  model         TEXT COLLATE "C",
  receipt_id    TEXT COLLATE "C",
  receipt       TEXT COLLATE "C",
  figures       BIGINT[],              -- of answers: the sizes in the receipt
  frame         BIGINT[],              -- of answers: the ids of the texts that were sent
  reply_to      BIGINT,                -- id of the last message of the input, if that is not the message before
  undone_at     BIGINT,                -- when it was taken back; null while it stands
  history       BYTEA,                 -- keyed hash of the history up to and with the message
  exchange      BYTEA,                 -- keyed hash of the exchange that an answer ends
  hash          BYTEA   NOT NULL,
  terms         TSVECTOR NOT NULL,     -- the stems of the content, each with the owner's tag
  PRIMARY KEY (owner_id, id)
);

CREATE UNIQUE INDEX messages_place ON messages (owner_id, root_id, seq);
CREATE INDEX messages_key ON messages (owner_id, session_key, id) WHERE session_key IS NOT NULL;
CREATE UNIQUE INDEX messages_receipt ON messages (owner_id, receipt_id) WHERE receipt_id IS NOT NULL;
CREATE INDEX messages_history ON messages (owner_id, history) WHERE history IS NOT NULL;
CREATE INDEX messages_exchange ON messages (owner_id, exchange) WHERE exchange IS NOT NULL;
CREATE INDEX messages_terms ON messages USING gin (terms);

-- What requests said beside their messages: system prompts, tools, settings. A text is
-- stored once for its owner, and goes with the last lineage that was sent it.
CREATE TABLE texts (
  owner_id TEXT COLLATE "C"   NOT NULL,
  id       BIGINT GENERATED ALWAYS AS IDENTITY,
  hash     BYTEA  NOT NULL,            -- SHA-256 of the text
  content  TEXT COLLATE "C"   NOT NULL,
  PRIMARY KEY (owner_id, id)
);

CREATE UNIQUE INDEX texts_hash ON texts (owner_id, hash);

CREATE TABLE text_uses (
  owner_id TEXT COLLATE "C"   NOT NULL,
  root_id  TEXT COLLATE "C"   NOT NULL,
  text_id  BIGINT NOT NULL,
  PRIMARY KEY (owner_id, root_id, text_id)
);

CREATE INDEX text_uses_text ON text_uses (owner_id, text_id);

-- A row for each scope of memory: a session key, or a lineage's messages without a key.
-- It is made with the scope's first message, and goes with its last one.
CREATE TABLE scopes (
  owner_id    TEXT COLLATE "C"    NOT NULL,
  id          BIGINT  GENERATED ALWAYS AS IDENTITY,
  session_key TEXT COLLATE "C"    NOT NULL,        -- '' for a lineage
  root_id     TEXT COLLATE "C"    NOT NULL,        -- '' for a session key
  version     BIGINT  NOT NULL,        -- counts the writes of messages and facts
  edition     BIGINT  NOT NULL,        -- counts the changes of pieces, and of what they hold
  newest      BIGINT  NOT NULL,        -- newest message id so far
  covered     BIGINT  NOT NULL,        -- newest message id that a piece covered so far
  stale       BOOLEAN NOT NULL,        -- places on the shelf are to be computed again
  withdrawn   TEXT COLLATE "C",                    -- messages in pieces that were undone: [[first id, last id], …]
  PRIMARY KEY (owner_id, id)
);

CREATE UNIQUE INDEX scopes_name ON scopes (owner_id, session_key, root_id);

-- Derived: the index over a scope's messages or facts, in immutable pieces. A piece in the
-- state "making" belongs to no manifest yet, a "dead" or "erased" one no longer: its blocks
-- are deleted in the background.
CREATE TABLE pieces (
  owner_id TEXT COLLATE "C"        NOT NULL,
  id       BIGINT      GENERATED ALWAYS AS IDENTITY,
  scope_id BIGINT      NOT NULL,
  kind     TEXT COLLATE "C"        NOT NULL,       -- messages or facts
  state    TEXT COLLATE "C"        NOT NULL,       -- making, live, dead or erased
  format   BIGINT      NOT NULL,
  first_id BIGINT      NOT NULL,       -- message ids, both ends included
  last_id  BIGINT      NOT NULL,
  count    BIGINT      NOT NULL,       -- of messages or facts
  blocks   BIGINT      NOT NULL,
  grown_at TIMESTAMPTZ NOT NULL,       -- when the newest block was added, or the state changed
  PRIMARY KEY (owner_id, id)
);

CREATE INDEX pieces_live ON pieces (owner_id, scope_id, kind, first_id) WHERE state = 'live';
CREATE INDEX pieces_rest ON pieces (state, owner_id, scope_id) WHERE state <> 'live';

CREATE TABLE piece_blocks (
  owner_id TEXT COLLATE "C"   NOT NULL,
  piece_id BIGINT NOT NULL,
  number   BIGINT NOT NULL,
  data     BYTEA  NOT NULL,
  PRIMARY KEY (owner_id, piece_id, number)
);

ALTER TABLE piece_blocks ALTER COLUMN data SET STORAGE EXTERNAL; -- they are compressed already

-- Derived: what messages say. number is message id << 10 | ordinal in the message.
CREATE TABLE facts (
  owner_id      TEXT COLLATE "C"   NOT NULL,
  number        BIGINT NOT NULL,
  scope_id      BIGINT NOT NULL,
  root_id       TEXT COLLATE "C"   NOT NULL,
  seq           BIGINT NOT NULL,
  id            TEXT COLLATE "C"   NOT NULL,
  session_id    TEXT COLLATE "C"   NOT NULL,
  kind          TEXT COLLATE "C"   NOT NULL,
  role          TEXT COLLATE "C"   NOT NULL,
  speaker       TEXT COLLATE "C",
  quote         TEXT COLLATE "C"   NOT NULL,
  quote_start   BIGINT NOT NULL,
  quote_end     BIGINT NOT NULL,
  statement     TEXT COLLATE "C",                  -- null when it is the quote
  subject       TEXT COLLATE "C",
  attribute     TEXT COLLATE "C",
  value         TEXT COLLATE "C",
  because       TEXT COLLATE "C",
  said_at       BIGINT NOT NULL,
  recorded_at   BIGINT NOT NULL,
  when_from     BIGINT,
  when_to       BIGINT,
  superseded_by TEXT COLLATE "C",
  superseded_at BIGINT,
  doubted_by    TEXT COLLATE "C",                  -- newest fact that perhaps replaced it
  links         TEXT COLLATE "C",
  section       BIGINT,                -- place on the shelf; null if it is not shown
  weight        BIGINT,
  PRIMARY KEY (owner_id, number)
);

CREATE INDEX facts_place ON facts (owner_id, root_id, seq);
CREATE INDEX facts_scope ON facts (owner_id, scope_id, id);
CREATE INDEX facts_order ON facts (owner_id, scope_id, number);
CREATE INDEX facts_shelf ON facts (owner_id, scope_id, section, weight, number) WHERE section IS NOT NULL;

-- How far each lineage has been studied.
CREATE TABLE studies (
  owner_id   TEXT COLLATE "C"    NOT NULL,
  root_id    TEXT COLLATE "C"    NOT NULL,
  summarized BIGINT  NOT NULL,
  titled     BOOLEAN NOT NULL,         -- a model was asked for a title
  vectors_to BIGINT  NOT NULL,
  vectors_by TEXT COLLATE "C",
  PRIMARY KEY (owner_id, root_id)
);

-- What models have yet to do in the background. A row goes when it is done.
CREATE TABLE work (
  owner_id   TEXT COLLATE "C"   NOT NULL,
  root_id    TEXT COLLATE "C"   NOT NULL,
  kind       TEXT COLLATE "C"   NOT NULL,
  state      TEXT COLLATE "C"   NOT NULL,          -- waiting or running
  wake_at    BIGINT NOT NULL,          -- when it is due, or the end of the lease
  asked      BIGINT NOT NULL,          -- how often it was asked for
  fence      BIGINT NOT NULL,          -- begins with the time, so that a row that is made again has a higher one
  attempts   BIGINT NOT NULL DEFAULT 0,
  error      TEXT COLLATE "C",
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, root_id, kind)
);

CREATE INDEX work_wake ON work (wake_at);

-- Derived: the meanings of messages. They can be emptied at will.
CREATE TABLE vectors (
  owner_id    TEXT COLLATE "C"             NOT NULL,
  root_id     TEXT COLLATE "C"             NOT NULL,
  seq         BIGINT           NOT NULL,
  session_key TEXT COLLATE "C",
  message_id  BIGINT           NOT NULL,
  model       TEXT COLLATE "C"             NOT NULL,
  scale       DOUBLE PRECISION NOT NULL,
  parts       BYTEA            NOT NULL,
  PRIMARY KEY (owner_id, root_id, seq)
);

CREATE INDEX vectors_key ON vectors (owner_id, session_key, message_id) WHERE session_key IS NOT NULL;

-- Answers kept for repeated requests.
CREATE TABLE requests (
  owner_id   TEXT COLLATE "C"   NOT NULL,
  route      TEXT COLLATE "C"   NOT NULL,
  key        TEXT COLLATE "C"   NOT NULL,
  body_hash  BYTEA  NOT NULL,
  outcome    TEXT COLLATE "C",                     -- null until there is one
  root_id    TEXT COLLATE "C",                     -- its lineage
  seq        BIGINT,                   -- where its input stands until there is an outcome
  count      BIGINT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, route, key)
);

CREATE INDEX requests_expiry ON requests (owner_id, expires_at);

CREATE TABLE api_keys (
  owner_id   TEXT COLLATE "C"   NOT NULL,
  id         TEXT COLLATE "C"   NOT NULL,
  name       TEXT COLLATE "C"   NOT NULL,
  hash       BYTEA  NOT NULL,
  scopes     TEXT COLLATE "C"   NOT NULL,
  requests_per_minute BIGINT,          -- NULL: as the server has it; 0: no bound
  concurrent_turns    BIGINT,
  session_key TEXT COLLATE "C",                    -- of the key's requests that name none
  created_at BIGINT NOT NULL,
  revoked_at BIGINT,
  PRIMARY KEY (owner_id, id)
);

CREATE UNIQUE INDEX api_keys_id ON api_keys (id);

-- What was forgotten, as hashes under the store's key: an import must not bring it back
-- unasked.
CREATE TABLE erasures (
  owner_id  TEXT COLLATE "C"   NOT NULL,
  hash      BYTEA  NOT NULL,
  words     BIGINT NOT NULL,
  erased_at BIGINT NOT NULL,
  form      BIGINT NOT NULL,           -- 1: of words in small letters; 2: of words in their folded form
  PRIMARY KEY (owner_id, hash)
);

-- Prompts with a schedule.
CREATE TABLE jobs (
  owner_id    TEXT COLLATE "C"   NOT NULL,
  id          TEXT COLLATE "C"   NOT NULL,
  name        TEXT COLLATE "C"   NOT NULL,
  schedule    TEXT COLLATE "C"   NOT NULL,
  timezone    TEXT COLLATE "C"   NOT NULL,
  prompt      TEXT COLLATE "C"   NOT NULL,
  session_id  TEXT COLLATE "C"   NOT NULL,
  session_key TEXT COLLATE "C",
  deliver     TEXT COLLATE "C"   NOT NULL,
  secret      TEXT COLLATE "C",
  repeat      BIGINT NOT NULL DEFAULT 0,
  catch_up    TEXT COLLATE "C"   NOT NULL,
  model       TEXT COLLATE "C",
  timeout     BIGINT NOT NULL,         -- milliseconds
  state       TEXT COLLATE "C"   NOT NULL,
  anchor      BIGINT NOT NULL,
  next_run_at BIGINT,
  fires       BIGINT NOT NULL DEFAULT 0,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  last_run_at BIGINT,
  last_status TEXT COLLATE "C",
  seen_own    BIGINT,                  -- message ids
  seen_others BIGINT,
  PRIMARY KEY (owner_id, id)
);

CREATE UNIQUE INDEX jobs_name ON jobs (owner_id, name);
CREATE INDEX jobs_next ON jobs (next_run_at) WHERE next_run_at IS NOT NULL;

-- The ledger: a row for every due time, so that none fires twice.
CREATE TABLE job_runs (
  owner_id      TEXT COLLATE "C"    NOT NULL,
  job_id        TEXT COLLATE "C"    NOT NULL,
  due_at        BIGINT  NOT NULL,
  id            TEXT COLLATE "C"    NOT NULL,
  status        TEXT COLLATE "C"    NOT NULL,
  reason        TEXT COLLATE "C",
  manual        BOOLEAN NOT NULL,
  wake_at       BIGINT,                -- the next attempt, or the end of the lease
  fence         BIGINT  NOT NULL DEFAULT 0,
  attempts      BIGINT  NOT NULL DEFAULT 0,
  started_at    BIGINT,
  finished_at   BIGINT,
  output        TEXT COLLATE "C",
  error         TEXT COLLATE "C",
  session_id    TEXT COLLATE "C",
  responder     TEXT COLLATE "C",
  input_tokens  BIGINT  NOT NULL DEFAULT 0,
  output_tokens BIGINT  NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, job_id, due_at)
);

CREATE INDEX job_runs_wake ON job_runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX job_runs_open ON job_runs (owner_id, job_id) WHERE wake_at IS NOT NULL;

-- The outbox: what runs said, on its way to where it is wanted.
CREATE TABLE deliveries (
  owner_id     TEXT COLLATE "C"   NOT NULL,
  id           TEXT COLLATE "C"   NOT NULL,
  job_id       TEXT COLLATE "C"   NOT NULL,
  due_at       BIGINT NOT NULL,
  target       TEXT COLLATE "C"   NOT NULL,
  state        TEXT COLLATE "C"   NOT NULL,
  attempts     BIGINT NOT NULL DEFAULT 0,
  fence        BIGINT NOT NULL DEFAULT 0,
  wake_at      BIGINT,
  error        TEXT COLLATE "C",
  created_at   BIGINT NOT NULL,
  delivered_at BIGINT,
  PRIMARY KEY (owner_id, id)
);

CREATE UNIQUE INDEX deliveries_run ON deliveries (owner_id, job_id, due_at);
CREATE INDEX deliveries_wake ON deliveries (wake_at) WHERE wake_at IS NOT NULL;

-- Turns that go on without their client, and what has happened in each.
CREATE TABLE runs (
  owner_id    TEXT COLLATE "C"   NOT NULL,
  id          TEXT COLLATE "C"   NOT NULL,
  kind        TEXT COLLATE "C"   NOT NULL,
  session_id  TEXT COLLATE "C"   NOT NULL,
  root_id     TEXT COLLATE "C",                    -- null until its turn has begun
  session_key TEXT COLLATE "C",
  model       TEXT COLLATE "C",
  state       TEXT COLLATE "C"   NOT NULL,
  on_restart  TEXT COLLATE "C"   NOT NULL,
  request     TEXT COLLATE "C",
  turn        TEXT COLLATE "C",                    -- what is to be run; null once it is over
  first_seq   BIGINT NOT NULL DEFAULT 0,
  end_seq     BIGINT NOT NULL DEFAULT 0,
  result      TEXT COLLATE "C",
  failure     TEXT COLLATE "C",
  approvals   TEXT COLLATE "C",
  client_key  TEXT COLLATE "C",
  client_hash BYTEA,
  created_at  BIGINT NOT NULL,
  started_at  BIGINT,
  finished_at BIGINT,
  attempts    BIGINT NOT NULL DEFAULT 0,
  fence       BIGINT NOT NULL DEFAULT 0,
  wake_at     BIGINT,                  -- when it was queued, or the end of the lease; null once it is over
  events      BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id)
);

CREATE INDEX runs_wake ON runs (wake_at, owner_id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_open ON runs (owner_id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_newest ON runs (owner_id, created_at, id);
CREATE INDEX runs_root ON runs (owner_id, root_id) WHERE root_id IS NOT NULL;
CREATE INDEX runs_session ON runs (owner_id, session_id);
CREATE UNIQUE INDEX runs_client ON runs (owner_id, kind, client_key) WHERE client_key IS NOT NULL;

CREATE TABLE run_events (
  owner_id TEXT COLLATE "C"   NOT NULL,
  run_id   TEXT COLLATE "C"   NOT NULL,
  seq      BIGINT NOT NULL,
  type     TEXT COLLATE "C"   NOT NULL,
  at       BIGINT NOT NULL,
  data     TEXT COLLATE "C"   NOT NULL,
  PRIMARY KEY (owner_id, run_id, seq)
);

-- Who did what and when. Rows are added, and dropped when they are old; nothing
-- changes one. "target" holds ids of ours, and of sessions a keyed hash.
CREATE TABLE audit (
  owner_id   TEXT COLLATE "C"   NOT NULL,
  seq        BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  actor      TEXT COLLATE "C"   NOT NULL,
  action     TEXT COLLATE "C"   NOT NULL,
  kind       TEXT COLLATE "C"   NOT NULL,
  target     TEXT COLLATE "C"   NOT NULL,
  request_id TEXT COLLATE "C"   NOT NULL,
  outcome    TEXT COLLATE "C"   NOT NULL,
  detail     TEXT COLLATE "C"   NOT NULL,
  hash       BYTEA  NOT NULL,
  PRIMARY KEY (owner_id, seq)
);

CREATE INDEX audit_at ON audit (owner_id, at);

-- Chats on platforms, and threads of them: the session key of each, pinned at first
-- contact, and the session that it leads to.
CREATE TABLE chats (
  owner_id    TEXT COLLATE "C"    NOT NULL,
  platform    TEXT COLLATE "C"    NOT NULL,
  account     TEXT COLLATE "C"    NOT NULL,        -- the bot
  chat_id     TEXT COLLATE "C"    NOT NULL,
  thread_id   TEXT COLLATE "C"    NOT NULL,        -- '' for none
  type        TEXT COLLATE "C"    NOT NULL,        -- dm, group or channel
  title       TEXT COLLATE "C",
  session_key TEXT COLLATE "C"    NOT NULL,
  session_id  TEXT COLLATE "C",                    -- null before the first turn
  user_id     TEXT COLLATE "C",                    -- the person of a dm
  zone        TEXT COLLATE "C",
  notice      TEXT COLLATE "C",                    -- what the next answer says first
  home        BOOLEAN NOT NULL DEFAULT false,
  active_at   BIGINT  NOT NULL,
  created_at  BIGINT  NOT NULL,
  PRIMARY KEY (owner_id, platform, account, chat_id, thread_id)
);

CREATE INDEX chats_active ON chats (active_at) WHERE session_id IS NOT NULL;

-- What people are called in a chat with several of them.
CREATE TABLE chat_names (
  owner_id TEXT COLLATE "C" NOT NULL,
  platform TEXT COLLATE "C" NOT NULL,
  account  TEXT COLLATE "C" NOT NULL,
  chat_id  TEXT COLLATE "C" NOT NULL,
  user_id  TEXT COLLATE "C" NOT NULL,
  name     TEXT COLLATE "C" NOT NULL,
  label    TEXT COLLATE "C" NOT NULL,              -- the name, with a number if another one has it
  PRIMARY KEY (owner_id, platform, account, chat_id, user_id)
);

-- The inbox: what platforms have sent. A row is made before the platform is told that it
-- arrived, and has no text once the event is over.
CREATE TABLE chat_events (
  owner_id    TEXT COLLATE "C"   NOT NULL,
  number      BIGINT GENERATED ALWAYS AS IDENTITY,
  platform    TEXT COLLATE "C"   NOT NULL,
  account     TEXT COLLATE "C"   NOT NULL,
  event_id    TEXT COLLATE "C"   NOT NULL,
  chat_id     TEXT COLLATE "C"   NOT NULL,
  thread_id   TEXT COLLATE "C"   NOT NULL,
  kind        TEXT COLLATE "C"   NOT NULL,
  user_id     TEXT COLLATE "C"   NOT NULL,
  message_id  TEXT COLLATE "C",                    -- the platform's id of the message; null for an event without one
  state       TEXT COLLATE "C"   NOT NULL,         -- waiting, taken, answered, command, ignored or failed
  reason      TEXT COLLATE "C",
  run_id      TEXT COLLATE "C",                    -- the turn that has taken it
  plan        TEXT COLLATE "C",                    -- what a command is going to do
  label       TEXT COLLATE "C",
  body        TEXT COLLATE "C",                    -- the event; null once it is over
  received_at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, number)
);

CREATE UNIQUE INDEX chat_events_id ON chat_events (owner_id, platform, account, event_id);
CREATE INDEX chat_events_open ON chat_events (owner_id, platform, account, chat_id, thread_id) WHERE state IN ('waiting', 'taken');
CREATE INDEX chat_events_said ON chat_events (owner_id, platform, account, chat_id, thread_id, number) WHERE kind = 'said' AND message_id IS NOT NULL;

-- The outbox: what is sent, one row for each message.
CREATE TABLE chat_sends (
  owner_id    TEXT COLLATE "C"    NOT NULL,
  number      BIGINT  GENERATED ALWAYS AS IDENTITY,
  id          TEXT COLLATE "C"    NOT NULL,
  platform    TEXT COLLATE "C"    NOT NULL,
  account     TEXT COLLATE "C"    NOT NULL,
  chat_id     TEXT COLLATE "C"    NOT NULL,
  thread_id   TEXT COLLATE "C"    NOT NULL,
  type        TEXT COLLATE "C"    NOT NULL,
  origin      TEXT COLLATE "C"    NOT NULL,        -- the turn, the command or the delivery
  part        BIGINT  NOT NULL,
  text        TEXT COLLATE "C"    NOT NULL,        -- Markdown
  buttons     TEXT COLLATE "C",                    -- [{"ID","Label"}]
  file_name   TEXT COLLATE "C",
  file_text   TEXT COLLATE "C",
  reply_to    TEXT COLLATE "C",
  interaction TEXT COLLATE "C",
  plain       BOOLEAN NOT NULL DEFAULT false,
  state       TEXT COLLATE "C"    NOT NULL,        -- waiting, sending, unknown, changed, sent, parked or failed
  message_id  TEXT COLLATE "C",                    -- the platform's id, once it was sent
  attempts    BIGINT  NOT NULL DEFAULT 0,
  wake_at     BIGINT,
  error       TEXT COLLATE "C",
  created_at  BIGINT  NOT NULL,
  sent_at     BIGINT,
  PRIMARY KEY (owner_id, number)
);

CREATE UNIQUE INDEX chat_sends_id ON chat_sends (owner_id, id);
CREATE INDEX chat_sends_origin ON chat_sends (owner_id, platform, account, chat_id, thread_id, origin);
CREATE INDEX chat_sends_open ON chat_sends (owner_id, platform, account, chat_id, thread_id, number)
  WHERE state IN ('waiting', 'sending', 'unknown', 'changed', 'parked');

-- People who wrote to a bot, and are in no configured list.
CREATE TABLE chat_people (
  owner_id    TEXT COLLATE "C"   NOT NULL,
  platform    TEXT COLLATE "C"   NOT NULL,
  account     TEXT COLLATE "C"   NOT NULL,
  user_id     TEXT COLLATE "C"   NOT NULL,
  name        TEXT COLLATE "C",
  chat_id     TEXT COLLATE "C"   NOT NULL,
  state       TEXT COLLATE "C"   NOT NULL,         -- pending or approved
  for_owner   TEXT COLLATE "C",                    -- whose data their dms are; null for the platform's owner
  code_hash   BYTEA,
  asked_at    BIGINT NOT NULL,
  expires_at  BIGINT,
  approved_at BIGINT,
  PRIMARY KEY (owner_id, platform, account, user_id)
);

-- How far each bot has received.
CREATE TABLE chat_positions (
  owner_id TEXT COLLATE "C" NOT NULL,
  platform TEXT COLLATE "C" NOT NULL,
  account  TEXT COLLATE "C" NOT NULL,
  position TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, platform, account)
);
