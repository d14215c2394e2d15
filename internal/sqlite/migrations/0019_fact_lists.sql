-- Lists of facts by kind and status read this index, and the table for the facts of a page.
DROP INDEX facts_order;

CREATE INDEX facts_order ON facts (scope_id, number, kind, superseded_by);
