-- Lists of facts by kind and status read this index, and the table for the facts of a page.
DROP INDEX facts_order;

CREATE INDEX facts_order ON facts (scope_id, number, kind, superseded_by);

-- Replaced facts are counted and listed by this index. Few facts are in it.
CREATE INDEX facts_reversed ON facts (scope_id) WHERE superseded_by IS NOT NULL;
