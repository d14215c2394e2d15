-- Of answers: the id of the last message of the input that is answered. Null where
-- the answer stands directly behind its input or the results of its own tool calls,
-- as nearly all do, and in rows from before this column.
ALTER TABLE messages ADD COLUMN reply_to INTEGER;
