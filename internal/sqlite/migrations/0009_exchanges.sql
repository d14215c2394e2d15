-- Of answers to clients that name no session: a keyed hash of the exchange that the answer
-- ends. A client that sends only its newest messages again is found by it.
ALTER TABLE messages ADD COLUMN exchange BLOB;
CREATE INDEX messages_exchange ON messages (owner_id, exchange) WHERE exchange IS NOT NULL;
