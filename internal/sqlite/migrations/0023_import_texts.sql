-- What the messages of an imported conversation said in the other program, so that a message that
-- is edited there is seen. Imports before this have neither.
ALTER TABLE imports ADD COLUMN texts BLOB;          -- eight bytes a message: a hash over its text
ALTER TABLE imports ADD COLUMN changed_at INTEGER;  -- when the other program changed the conversation
