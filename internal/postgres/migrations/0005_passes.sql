-- What the page shows instead of a key: tokens, and codes that are changed for a token. A
-- pass acts as the key that it was made with.
CREATE TABLE passes (
  id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  code       BOOLEAN NOT NULL,         -- a code, and no token
  hash       BYTEA   NOT NULL,         -- SHA-256 of the secret
  via        TEXT COLLATE "C" NOT NULL, -- names the key
  stay       BOOLEAN NOT NULL,         -- valid without being used
  created_at BIGINT  NOT NULL,
  used_at    BIGINT  NOT NULL,
  expires_at BIGINT  NOT NULL
);

CREATE INDEX passes_via ON passes (via);
CREATE INDEX passes_expire ON passes (expires_at);
