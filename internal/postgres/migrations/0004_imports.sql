-- Conversations of other programs, as far as they were imported. A row without a lineage stays
-- when the lineage is deleted, so that the next import leaves the conversation out.
CREATE TABLE imports (
  owner_id   TEXT COLLATE "C" NOT NULL,
  system     TEXT COLLATE "C" NOT NULL,  -- the other program
  foreign_id TEXT COLLATE "C" NOT NULL,  -- the conversation's id in it
  root_id    TEXT COLLATE "C",           -- the lineage that holds it; null once that one was deleted
  next_seq   BIGINT NOT NULL,            -- of the lineage, after the import
  marks      BYTEA  NOT NULL,            -- eight bytes a message: a hash over the foreign ids up to it
  PRIMARY KEY (owner_id, system, foreign_id)
);

CREATE INDEX imports_root ON imports (owner_id, root_id) WHERE root_id IS NOT NULL;
