-- Until when platforms want nothing for a chat.
CREATE TABLE chat_rests (
  owner_id  TEXT COLLATE "C" NOT NULL,
  platform  TEXT COLLATE "C" NOT NULL,
  account   TEXT COLLATE "C" NOT NULL,
  chat_id   TEXT COLLATE "C" NOT NULL, -- '': for all chats of the bot
  until_at  BIGINT NOT NULL,
  PRIMARY KEY (owner_id, platform, account, chat_id)
);
