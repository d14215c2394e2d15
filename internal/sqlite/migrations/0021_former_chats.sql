-- The id that a chat had before: settings and jobs may name it by that one.
ALTER TABLE chats ADD COLUMN former_id TEXT;
