-- What a client attached to a conversation: a JSON object of its strings. Null for none.
ALTER TABLE sessions ADD COLUMN metadata TEXT;
