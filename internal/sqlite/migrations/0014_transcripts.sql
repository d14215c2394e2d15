-- Derived: sessions that were changed or deleted since their transcript was written to a
-- file. An entry is made in the transaction of the change.
CREATE TABLE transcript_changes (
  owner_id   TEXT    NOT NULL,
  session_id TEXT    NOT NULL,       -- '' if only chats of the owner have changed
  number     INTEGER NOT NULL,       -- of the newest change
  rewritten  INTEGER NOT NULL,       -- of the newest change to earlier messages; 0 for none
  PRIMARY KEY (owner_id, session_id)
) STRICT, WITHOUT ROWID;
