-- What a model once found in the messages of version1.sql: a fact that replaced another,
-- and to which a third is linked.
INSERT INTO facts (ord, owner_id, root_id, seq, id, session_id, message_id, kind, role, quote, quote_start, quote_end, statement,
  subject, attribute, value, proposed_by, said_at, recorded_at)
  VALUES (8, 'local', 'one', 0, 'f_found', 'one', 1, 'identity', 'user', 'My cat is called Quetzal.', 0, 25, 'cat is called Quetzal',
  'i', 'cat', 'Quetzal', 'student', 1769940000000, 1795386453400);
INSERT INTO findings (owner_id, root_id, seq, quote_start, quote_end, statement, proposed_by, accepted_at, after_id, fact_id)
  VALUES ('local', 'one', 0, 0, 25, 'cat is called Quetzal', 'student', 1795386453400, 6, 'f_found');
UPDATE facts SET superseded_by = 'f_found', superseded_at = 1769940000000 WHERE id = 'f_7568faaeb044fb5c';
UPDATE facts SET links = '[{"Kind":"then","To":"f_found"}]' WHERE id = 'f_555f5b62e653aa76';
INSERT INTO studies (owner_id, root_id, facts_to, summarized, titled, vectors_to, vectors_by) VALUES ('local', 'one', 4, 2, 1, 3, 'm');
