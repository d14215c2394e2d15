-- What the page shows instead of a key: tokens, and codes that are changed for a token. A
-- pass acts as the key that it was made with.
CREATE TABLE passes (
  id         TEXT    NOT NULL PRIMARY KEY,
  code       INTEGER NOT NULL,       -- 1: a code, 0: a token
  hash       BLOB    NOT NULL,       -- SHA-256 of the secret
  via        TEXT    NOT NULL,       -- names the key
  stay       INTEGER NOT NULL,       -- 1: valid without being used
  created_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX passes_via ON passes (via);
CREATE INDEX passes_expire ON passes (expires_at);
