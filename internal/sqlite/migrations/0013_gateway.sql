-- Chats on platforms, and threads of them: the session key of each, pinned at first
-- contact, and the session that it leads to.
CREATE TABLE chats (
  owner_id    TEXT    NOT NULL,
  platform    TEXT    NOT NULL,
  account     TEXT    NOT NULL,      -- the bot
  chat_id     TEXT    NOT NULL,
  thread_id   TEXT    NOT NULL,      -- '' for none
  type        TEXT    NOT NULL,      -- dm, group or channel
  title       TEXT,
  session_key TEXT    NOT NULL,
  session_id  TEXT,                  -- null before the first turn
  user_id     TEXT,                  -- the person of a dm
  zone        TEXT,
  notice      TEXT,                  -- what the next answer says first
  home        INTEGER NOT NULL DEFAULT 0,
  active_at   INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (owner_id, platform, account, chat_id, thread_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX chats_active ON chats (active_at) WHERE session_id IS NOT NULL;

-- What people are called in a chat with several of them.
CREATE TABLE chat_names (
  owner_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  account  TEXT NOT NULL,
  chat_id  TEXT NOT NULL,
  user_id  TEXT NOT NULL,
  name     TEXT NOT NULL,
  label    TEXT NOT NULL,            -- the name, with a number if another one has it
  PRIMARY KEY (owner_id, platform, account, chat_id, user_id)
) STRICT, WITHOUT ROWID;

-- The inbox: what platforms have sent. A row is made before the platform is told that it
-- arrived, and has no text once the event is over.
CREATE TABLE chat_events (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id    TEXT    NOT NULL,
  platform    TEXT    NOT NULL,
  account     TEXT    NOT NULL,
  event_id    TEXT    NOT NULL,
  chat_id     TEXT    NOT NULL,
  thread_id   TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  user_id     TEXT    NOT NULL,
  message_id  TEXT,                  -- the platform's id of the message; null for an event without one
  state       TEXT    NOT NULL,      -- waiting, taken, answered, command, ignored or failed
  reason      TEXT,
  run_id      TEXT,                  -- the turn that has taken it
  plan        TEXT,                  -- what a command is going to do
  label       TEXT,
  body        TEXT,                  -- the event; null once it is over
  received_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX chat_events_id ON chat_events (owner_id, platform, account, event_id);
CREATE INDEX chat_events_open ON chat_events (owner_id, platform, account, chat_id, thread_id) WHERE state IN ('waiting', 'taken');
CREATE INDEX chat_events_newest ON chat_events (owner_id, number);
CREATE INDEX chat_events_said ON chat_events (owner_id, platform, account, chat_id, thread_id, number) WHERE kind = 'said' AND message_id IS NOT NULL;

-- The outbox: what is sent, one row for each message.
CREATE TABLE chat_sends (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id    TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  platform    TEXT    NOT NULL,
  account     TEXT    NOT NULL,
  chat_id     TEXT    NOT NULL,
  thread_id   TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  origin      TEXT    NOT NULL,      -- the turn, the command or the delivery
  part        INTEGER NOT NULL,
  text        TEXT    NOT NULL,      -- Markdown
  buttons     TEXT,                  -- [{"ID","Label"}]
  file_name   TEXT,
  file_text   TEXT,
  reply_to    TEXT,
  interaction TEXT,
  plain       INTEGER NOT NULL DEFAULT 0,
  state       TEXT    NOT NULL,      -- waiting, sending, unknown, changed, sent, parked or failed
  message_id  TEXT,                  -- the platform's id, once it was sent
  attempts    INTEGER NOT NULL DEFAULT 0,
  wake_at     INTEGER,
  error       TEXT,
  created_at  INTEGER NOT NULL,
  sent_at     INTEGER
) STRICT;

CREATE UNIQUE INDEX chat_sends_id ON chat_sends (owner_id, id);
CREATE INDEX chat_sends_origin ON chat_sends (owner_id, platform, account, chat_id, thread_id, origin);
CREATE INDEX chat_sends_open ON chat_sends (owner_id, platform, account, chat_id, thread_id, number)
  WHERE state IN ('waiting', 'sending', 'unknown', 'changed', 'parked');

-- People who wrote to a bot, and are in no configured list.
CREATE TABLE chat_people (
  owner_id    TEXT    NOT NULL,
  platform    TEXT    NOT NULL,
  account     TEXT    NOT NULL,
  user_id     TEXT    NOT NULL,
  name        TEXT,
  chat_id     TEXT    NOT NULL,
  state       TEXT    NOT NULL,      -- pending or approved
  for_owner   TEXT,                  -- whose data their dms are; null for the platform's owner
  code_hash   BLOB,
  asked_at    INTEGER NOT NULL,
  expires_at  INTEGER,
  approved_at INTEGER,
  PRIMARY KEY (owner_id, platform, account, user_id)
) STRICT, WITHOUT ROWID;

-- How far each bot has received.
CREATE TABLE chat_positions (
  owner_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  account  TEXT NOT NULL,
  position TEXT NOT NULL,
  PRIMARY KEY (owner_id, platform, account)
) STRICT, WITHOUT ROWID;
