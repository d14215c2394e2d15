-- Lists of facts by kind and status read this index, and the table for the facts of a page.
DROP INDEX facts_order;

CREATE INDEX facts_order ON facts (owner_id, scope_id, number) INCLUDE (kind, superseded_by);
