-- The id under which the settings list a person who writes with another one. Where the person
-- wrote was stored in the same column before.
ALTER TABLE chat_people ADD COLUMN listed_id TEXT;
UPDATE chat_people SET listed_id = chat_id WHERE state = 'alias';
