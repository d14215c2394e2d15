-- A sentence is one statement from here on, without further facts for its parts. Older
-- facts are deleted, and the next start distils them again from the messages.
INSERT OR REPLACE INTO meta (name, value) SELECT 'facts_lost', '1' WHERE EXISTS (SELECT 1 FROM facts);
DELETE FROM facts;
