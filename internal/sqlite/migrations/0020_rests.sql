-- Until when platforms want nothing for a chat.
CREATE TABLE chat_rests (
  owner_id  TEXT    NOT NULL,
  platform  TEXT    NOT NULL,
  account   TEXT    NOT NULL,
  chat_id   TEXT    NOT NULL,        -- '': for all chats of the bot
  until_at  INTEGER NOT NULL,
  PRIMARY KEY (owner_id, platform, account, chat_id)
) STRICT, WITHOUT ROWID;
