-- Replaced facts are counted and listed by this index. Few facts are in it.
CREATE INDEX facts_reversed ON facts (owner_id, scope_id, number) WHERE superseded_by IS NOT NULL;
