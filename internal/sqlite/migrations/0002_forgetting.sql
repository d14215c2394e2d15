-- Entries of the text index are taken out plainly, and what is left of them is
-- merged away afterwards. The option secure-delete, which did that at once, makes
-- an index that SQLite before 3.42 does not read: one that has it already is
-- emptied, and filled again at the next start.
INSERT INTO messages_fts(messages_fts, rank) VALUES ('secure-delete', 0);
DELETE FROM meta WHERE name = 'fts_whole' AND EXISTS (SELECT 1 FROM messages_fts_config WHERE k = 'version' AND v > 4);
INSERT INTO messages_fts(messages_fts) SELECT 'delete-all' FROM messages_fts_config WHERE k = 'version' AND v > 4;

-- 0: a bare hash of the words in small letters, as before. 1: the same under the
-- store's key. 2: under the key, of words in their folded form.
ALTER TABLE erasures ADD COLUMN form INTEGER NOT NULL DEFAULT 0;
