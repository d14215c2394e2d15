-- Conversations of other programs, as far as they were imported. A row without a lineage stays
-- when the lineage is deleted, so that the next import leaves the conversation out.
CREATE TABLE imports (
  owner_id   TEXT    NOT NULL,
  system     TEXT    NOT NULL,       -- the other program
  foreign_id TEXT    NOT NULL,       -- the conversation's id in it
  root_id    TEXT,                   -- the lineage that holds it; null once that one was deleted
  next_seq   INTEGER NOT NULL,       -- of the lineage, after the import
  marks      BLOB    NOT NULL,       -- eight bytes a message: a hash over the foreign ids up to it
  PRIMARY KEY (owner_id, system, foreign_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX imports_root ON imports (owner_id, root_id) WHERE root_id IS NOT NULL;
