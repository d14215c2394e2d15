-- Models do not add facts any more. A fact of a model may have replaced other facts, and
-- later facts may be linked to it. So if there is any, all facts are deleted, and the
-- next start distils them again from the messages.
INSERT INTO meta (name, value) SELECT 'facts_lost', '1'
  WHERE EXISTS (SELECT 1 FROM findings) OR EXISTS (SELECT 1 FROM facts WHERE proposed_by IS NOT NULL);

ALTER TABLE facts RENAME TO facts_before;
DROP INDEX facts_place;
DROP INDEX facts_key;

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
  said_at       INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  when_from     INTEGER,
  when_to       INTEGER,
  superseded_by TEXT,
  superseded_at INTEGER,
  links         TEXT
) STRICT;

INSERT INTO facts SELECT ord, owner_id, root_id, seq, id, session_id, session_key, message_id, kind, role, speaker, quote, quote_start,
  quote_end, statement, subject, attribute, value, because, said_at, recorded_at, when_from, when_to, superseded_by, superseded_at, links
  FROM facts_before WHERE NOT EXISTS (SELECT 1 FROM meta WHERE name = 'facts_lost') ORDER BY ord;

DROP TABLE facts_before;

CREATE INDEX facts_place ON facts (owner_id, root_id, seq);
CREATE INDEX facts_key ON facts (owner_id, session_key, ord) WHERE session_key IS NOT NULL;

DROP TABLE findings;

ALTER TABLE studies DROP COLUMN facts_to;
