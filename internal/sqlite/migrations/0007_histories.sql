-- Of messages of clients that name no session: a keyed hash of the history up to and with
-- the message. A client that sends its history again is found by it.
ALTER TABLE messages ADD COLUMN history BLOB;
CREATE INDEX messages_history ON messages (owner_id, history) WHERE history IS NOT NULL;

-- The session key of a key's requests that name none.
ALTER TABLE api_keys ADD COLUMN session_key TEXT;
