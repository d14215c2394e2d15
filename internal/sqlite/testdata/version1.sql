-- A database of schema version 1, as the program of that version left it after a few
-- turns, a forgotten name and a deleted session.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE sessions (
  owner_id          TEXT    NOT NULL,
  id                TEXT    NOT NULL,
  root_id           TEXT    NOT NULL,
  parent_session_id TEXT,
  generation        INTEGER NOT NULL DEFAULT 0,
  is_tip            INTEGER NOT NULL DEFAULT 1,
  session_key       TEXT,
  source            TEXT    NOT NULL,
  user_id           TEXT,
  model             TEXT,
  system_prompt     TEXT,
  title             TEXT,
  title_source      TEXT,              -- derived, model or person; null without a title
  summary           TEXT,
  started_at        INTEGER NOT NULL,
  ended_at          INTEGER,
  end_reason        TEXT,
  last_active       INTEGER NOT NULL,
  message_count     INTEGER NOT NULL DEFAULT 0,
  tool_call_count   INTEGER NOT NULL DEFAULT 0,
  input_tokens      INTEGER NOT NULL DEFAULT 0,
  output_tokens     INTEGER NOT NULL DEFAULT 0,
  next_seq          INTEGER NOT NULL DEFAULT 0,
  tail_from         INTEGER NOT NULL DEFAULT 0,
  lineage_tokens    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO sessions VALUES('local','one','one',NULL,0,1,NULL,'api_server',NULL,'hermes-recall',NULL,'My cat is called Quetzal','derived',NULL,1795386452371,NULL,NULL,1795386453344,4,0,34,20,4,0,58);
INSERT INTO sessions VALUES('local','two','two',NULL,0,1,'ada','api_server',NULL,NULL,NULL,NULL,NULL,NULL,1795386452574,NULL,NULL,1795386452574,1,0,0,0,1,0,18);
CREATE TABLE messages (
  id            INTEGER PRIMARY KEY,
  owner_id      TEXT    NOT NULL,
  root_id       TEXT    NOT NULL,
  seq           INTEGER NOT NULL,
  session_id    TEXT    NOT NULL,
  session_key   TEXT,
  role          TEXT    NOT NULL,
  name          TEXT,
  content       TEXT    NOT NULL,
  wire          TEXT,
  tool_calls    TEXT,
  tool_call_id  TEXT,
  tool_name     TEXT,
  note          TEXT,
  said_at       INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  token_count   INTEGER NOT NULL DEFAULT 0,
  finish_reason TEXT,
  model         TEXT,
  receipt_id    TEXT,
  receipt       TEXT,
  undone_at     INTEGER,           -- when it was taken back; null while it stands
  hash          BLOB    NOT NULL
) STRICT;
INSERT INTO messages VALUES(1,'local','one',0,'one',NULL,'user',NULL,'My cat is called Quetzal. We use PostgreSQL for the ledger.',NULL,NULL,NULL,NULL,NULL,1769940000000,1795386452371,14,NULL,NULL,NULL,NULL,NULL,X'aa0013d146bec48f41b276246565e5c05529b6059ee2e62d830cd2a765b41f7a');
INSERT INTO messages VALUES(2,'local','one',1,'one',NULL,'assistant',NULL,'Noted.',NULL,NULL,NULL,NULL,NULL,1795386452371,1795386452371,2,NULL,NULL,NULL,NULL,NULL,X'2b799880c3315d04ea9a1db14f5d93216f88715b8ea95c254ef9068874faf4cf');
INSERT INTO messages VALUES(3,'local','two',0,'two','ada','user',NULL,replace('[erased]                \n I live in Oslo.','\n',char(10)),NULL,NULL,NULL,NULL,NULL,1795386452574,1795386452574,14,NULL,NULL,NULL,NULL,NULL,X'904fb97951907566e4045704a6d085d01499546c7bf1e8b4630cd7ddf595ea67');
INSERT INTO messages VALUES(5,'local','one',2,'one',NULL,'user',NULL,'What is my cat called?',NULL,NULL,NULL,NULL,NULL,1795386453344,1795386453344,6,NULL,NULL,NULL,NULL,NULL,X'b582a0624786c7a407acfbe9bd80df3c7f7ca1fdbace21f070bf65d31a5651d5');
INSERT INTO messages VALUES(6,'local','one',3,'one',NULL,'assistant',NULL,'[recall] You told me on 1 February 2026: your cat is called Quetzal.',NULL,NULL,NULL,NULL,'echo',1795386453376,1795386453376,20,'stop','hermes-recall','r_06h0anpdg18v9s26e07gocg','{"id":"r_06h0anpdg18v9s26e07gocg","session_id":"one","lineage_root_id":"one","seq":3,"at":"2026-11-22T22:27:33.376Z","model":"hermes-recall","responder":"recall","facts":["f_7568faaeb044fb5c"],"tail_from":0,"input_to":3,"recalled":null,"context":{"sent_tokens":34,"budget_tokens":8000,"naive_tokens":34,"system":0,"memory":0,"tail":24,"input":10}}',NULL,X'76b179572b9597dea13582a0fae5d688db0bce40fd71768deac3f5eb2b64b686');
CREATE TABLE facts (
  ord           INTEGER PRIMARY KEY,
  owner_id      TEXT    NOT NULL,
  root_id       TEXT    NOT NULL,
  seq           INTEGER NOT NULL,
  id            TEXT    NOT NULL,
  session_id    TEXT    NOT NULL,
  session_key   TEXT,
  message_id    INTEGER NOT NULL,
  kind          TEXT    NOT NULL,
  role          TEXT    NOT NULL,
  speaker       TEXT,
  quote         TEXT    NOT NULL,
  quote_start   INTEGER NOT NULL,
  quote_end     INTEGER NOT NULL,
  statement     TEXT,              -- null when it is the quote
  subject       TEXT,
  attribute     TEXT,
  value         TEXT,
  because       TEXT,
  proposed_by   TEXT,              -- the model that drew it; null for our own reading
  said_at       INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  when_from     INTEGER,
  when_to       INTEGER,
  superseded_by TEXT,
  superseded_at INTEGER,
  links         TEXT
) STRICT;
INSERT INTO facts VALUES(1,'local','one',0,'f_7568faaeb044fb5c','one',NULL,1,'identity','user',NULL,'My cat is called Quetzal.',0,25,'My cat is called Quetzal','i','cat','Quetzal',NULL,NULL,1769940000000,1795386452371,NULL,NULL,NULL,NULL,NULL);
INSERT INTO facts VALUES(2,'local','one',0,'f_555f5b62e653aa76','one',NULL,1,'fact','user',NULL,'We use PostgreSQL for the ledger.',26,59,'We use PostgreSQL for the ledger','we','database for ledger','PostgreSQL',NULL,NULL,1769940000000,1795386452371,NULL,NULL,NULL,NULL,NULL);
INSERT INTO facts VALUES(6,'local','two',0,'f_613053c622c1c32d','two','ada',3,'identity','user',NULL,'I live in Oslo.',26,41,'I live in Oslo','i','home','Oslo',NULL,NULL,1795386452574,1795386452574,NULL,NULL,NULL,NULL,NULL);
INSERT INTO facts VALUES(7,'local','one',2,'f_fc871b10c1bdc1ad','one',NULL,5,'question','user',NULL,'What is my cat called?',0,22,'What is my cat called',NULL,NULL,NULL,NULL,NULL,1795386453344,1795386453344,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE findings (
  ord         INTEGER PRIMARY KEY,
  owner_id    TEXT    NOT NULL,
  root_id     TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  session_key TEXT,
  quote_start INTEGER NOT NULL,
  quote_end   INTEGER NOT NULL,
  statement   TEXT    NOT NULL,
  proposed_by TEXT    NOT NULL,
  accepted_at INTEGER NOT NULL,
  after_id    INTEGER NOT NULL,    -- the newest message known by then
  fact_id     TEXT    NOT NULL
) STRICT;
CREATE TABLE studies (
  owner_id   TEXT    NOT NULL,
  root_id    TEXT    NOT NULL,
  facts_to   INTEGER NOT NULL,
  summarized INTEGER NOT NULL,
  titled     INTEGER NOT NULL,     -- 1 once a model was asked for a title
  vectors_to INTEGER NOT NULL,
  vectors_by TEXT,
  PRIMARY KEY (owner_id, root_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE work (
  owner_id   TEXT    NOT NULL,
  root_id    TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  state      TEXT    NOT NULL,     -- waiting or running
  wake_at    INTEGER NOT NULL,     -- when it is due, or the end of the lease
  asked      INTEGER NOT NULL,     -- how often it was asked for
  fence      INTEGER NOT NULL,     -- begins with the time, so that a row made anew has none of before
  attempts   INTEGER NOT NULL DEFAULT 0,
  error      TEXT,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, root_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE vectors (
  owner_id    TEXT    NOT NULL,
  root_id     TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  session_key TEXT,
  message_id  INTEGER NOT NULL,
  model       TEXT    NOT NULL,
  scale       REAL    NOT NULL,
  parts       BLOB    NOT NULL
) STRICT;
CREATE TABLE requests (
  owner_id   TEXT    NOT NULL,
  route      TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  body_hash  BLOB    NOT NULL,
  outcome    TEXT,              -- null until there is one
  root_id    TEXT,              -- where its input stands until then
  seq        INTEGER,
  count      INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, route, key)
) STRICT, WITHOUT ROWID;
INSERT INTO requests VALUES('local','chat.completions','k1',X'320e308a00152b6321d7f8e2fa01283521ac3f571c6cda7420afa3c2ffa83996','{"session_id":"one","lineage_root_id":"one","compressed":false,"stored":false,"responder":"recall","model":"hermes-recall","receipt_id":"r_06h0anpdg18v9s26e07gocg","used":["f_7568faaeb044fb5c"],"learned":null,"reversals":null,"context":{"sent_tokens":34,"budget_tokens":8000,"naive_tokens":34,"system":0,"memory":0,"tail":24,"input":10},"usage_estimated":true,"input_tokens":34,"output_tokens":20,"from_seq":2,"to_seq":4,"answer":{"content":"[recall] You told me on 1 February 2026: your cat is called Quetzal.","finish_reason":"stop"},"At":"2026-11-22T22:27:33.376Z"}',NULL,NULL,NULL,1795386453342,1795472853342);
CREATE TABLE api_keys (
  owner_id   TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  hash       BLOB    NOT NULL,
  scopes     TEXT    NOT NULL,
  requests_per_minute INTEGER,  -- NULL: as the server has it; 0: no bound
  concurrent_turns    INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE erasures (
  owner_id  TEXT    NOT NULL,
  hash      BLOB    NOT NULL,
  words     INTEGER NOT NULL,
  erased_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, hash)
) STRICT, WITHOUT ROWID;
INSERT INTO erasures VALUES('local',X'3dc5c0edaa4d86037a4abf6ca06acc888553462c3f13d82ca745e6a008a899e2',2,1795386452937);
CREATE TABLE jobs (
  owner_id    TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  schedule    TEXT    NOT NULL,
  timezone    TEXT    NOT NULL,
  prompt      TEXT    NOT NULL,
  session_id  TEXT    NOT NULL,
  session_key TEXT,
  deliver     TEXT    NOT NULL,
  secret      TEXT,
  repeat      INTEGER NOT NULL DEFAULT 0,
  catch_up    TEXT    NOT NULL,
  model       TEXT,
  timeout     INTEGER NOT NULL,    -- milliseconds
  state       TEXT    NOT NULL,
  anchor      INTEGER NOT NULL,
  next_run_at INTEGER,
  fires       INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  last_run_at INTEGER,
  last_status TEXT,
  seen_own    INTEGER,             -- message ids
  seen_others INTEGER,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE job_runs (
  owner_id      TEXT    NOT NULL,
  job_id        TEXT    NOT NULL,
  due_at        INTEGER NOT NULL,
  id            TEXT    NOT NULL,
  status        TEXT    NOT NULL,
  reason        TEXT,
  manual        INTEGER NOT NULL DEFAULT 0,
  wake_at       INTEGER,           -- the next attempt, or the end of the lease
  fence         INTEGER NOT NULL DEFAULT 0,
  attempts      INTEGER NOT NULL DEFAULT 0,
  started_at    INTEGER,
  finished_at   INTEGER,
  output        TEXT,
  error         TEXT,
  session_id    TEXT,
  responder     TEXT,
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, job_id, due_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE deliveries (
  owner_id     TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  job_id       TEXT    NOT NULL,
  due_at       INTEGER NOT NULL,
  target       TEXT    NOT NULL,
  state        TEXT    NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  fence        INTEGER NOT NULL DEFAULT 0,
  wake_at      INTEGER,
  error        TEXT,
  created_at   INTEGER NOT NULL,
  delivered_at INTEGER,
  PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE runs (
  owner_id    TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  session_id  TEXT    NOT NULL,
  root_id     TEXT,              -- null until its turn has begun
  session_key TEXT,
  model       TEXT,
  state       TEXT    NOT NULL,
  on_restart  TEXT    NOT NULL,
  request     TEXT,
  turn        TEXT,              -- what is to be run; null once it is over
  first_seq   INTEGER NOT NULL DEFAULT 0,
  end_seq     INTEGER NOT NULL DEFAULT 0,
  result      TEXT,
  failure     TEXT,
  approvals   TEXT,
  client_key  TEXT,
  client_hash BLOB,
  created_at  INTEGER NOT NULL,
  started_at  INTEGER,
  finished_at INTEGER,
  attempts    INTEGER NOT NULL DEFAULT 0,
  fence       INTEGER NOT NULL DEFAULT 0,
  wake_at     INTEGER,           -- when it was queued, or the end of the lease; null once it is over
  events      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id)
) STRICT;
CREATE TABLE run_events (
  owner_id TEXT    NOT NULL,
  run_id   TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  type     TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  data     TEXT    NOT NULL,
  PRIMARY KEY (owner_id, run_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
  owner_id   TEXT    NOT NULL,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  actor      TEXT    NOT NULL,
  action     TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  target     TEXT    NOT NULL,
  request_id TEXT    NOT NULL,
  outcome    TEXT    NOT NULL,
  detail     TEXT    NOT NULL,
  hash       BLOB    NOT NULL,
  PRIMARY KEY (owner_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO audit VALUES('local',1,1795386452205,'server','server.start','','','','ok','version=dev public=false no_auth=false configured_keys=0',X'e41797686b03c8b2a6f37a1640920c366ba4ecb36e5329f9d7dfd0ce00a56073');
INSERT INTO audit VALUES('local',2,1795386452918,'development','memory.forget','','','req_b3242a831eb94321','ok','about',X'95c6615360d9f14357f3284e203802d7ab11f99b827cafbf5d49a0135d68bba3');
INSERT INTO audit VALUES('local',3,1795386453140,'development','session.delete','session','s_72c209e55395218b7a09','req_9ef5b90addfc8aaf','ok','',X'9cf5450a432f765f0c2de2b9e664fb89f7755e295cfa7adabf31656fb8f1f3d2');
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('audit_salt','674d74b0475593c493ccc271d2259f78');
INSERT INTO meta VALUES('fts_upto','6');
INSERT INTO meta VALUES('fts_whole','6');
INSERT INTO meta VALUES('schema','b7e2bb7e9ca77a1f');
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','messages_fts','messages_fts',0,'CREATE VIRTUAL TABLE messages_fts USING fts5(
  content, scope, content=''messages_text'', content_rowid=''id'',
  tokenize="porter unicode61 remove_diacritics 2 categories ''L* N* M* Co''"
)');
CREATE TABLE IF NOT EXISTS 'messages_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO messages_fts_data VALUES(1,X'052319');
INSERT INTO messages_fts_data VALUES(10,X'0000000202020500020501010101010000');
INSERT INTO messages_fts_data VALUES(137438953473,X'0000010e023031060207010432303236060209010463616c6c05020601020d03017405020501020b010866656272756172690602080102697305020301020c01026b300506010104010601010401086c366636653635300506010103010601010301026d65060205020179050204010c6f36633666363336313663300506010102010601010202016e0602060107717565747a616c06020e0114723631373337333639373337343631366537343006060101050209373537333635373230050601010502046563616c060202011673363137303639356637333635373237363635373230050601010601060101060104746f6c640602040104776861740502020103796f7506020304017206020a0406090c090d0a0e14070618060c1b100922090908');
INSERT INTO messages_fts_data VALUES(687194767361,X'00000143053063616c6c0102050301740102030104657261730302020103666f7201020a01016903020302016e03020502017301020401026b3001060101040106010104020736313634363130030601010401086c366636653635300106010103010601010302073734373736663003060101030205656467657201020c020369766503020401026d7901020201046e6f7465020202010c6f36633666363336313663300106010102010601010201060101020203736c6f030206010a706f737467726573716c0102090107717565747a616c010206011472363137333733363937333734363136653734300206010105020937353733363537323001060101050206010105011673363137303639356637333635373237363635373230010601010601060101060106010106010374686501020b010275730102080102776501020704090609080606060e0e140e0a0807091d080f0c1b15270807');
CREATE TABLE IF NOT EXISTS 'messages_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO messages_fts_idx VALUES(1,X'',2);
INSERT INTO messages_fts_idx VALUES(5,X'',2);
CREATE TABLE IF NOT EXISTS 'messages_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO messages_fts_docsize VALUES(1,X'0b05');
INSERT INTO messages_fts_docsize VALUES(2,X'0105');
INSERT INTO messages_fts_docsize VALUES(3,X'0505');
INSERT INTO messages_fts_docsize VALUES(5,X'0505');
INSERT INTO messages_fts_docsize VALUES(6,X'0d05');
CREATE TABLE IF NOT EXISTS 'messages_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO messages_fts_config VALUES('secure-delete',1);
INSERT INTO messages_fts_config VALUES('version',5);
CREATE UNIQUE INDEX sessions_lineage ON sessions (owner_id, root_id, generation);
CREATE INDEX sessions_recent ON sessions (owner_id, last_active, root_id) WHERE is_tip = 1;
CREATE INDEX sessions_title ON sessions (owner_id, title) WHERE title IS NOT NULL;
CREATE UNIQUE INDEX messages_place ON messages (owner_id, root_id, seq);
CREATE INDEX messages_key ON messages (owner_id, session_key, id) WHERE session_key IS NOT NULL;
CREATE UNIQUE INDEX messages_receipt ON messages (owner_id, receipt_id) WHERE receipt_id IS NOT NULL;
CREATE INDEX facts_place ON facts (owner_id, root_id, seq);
CREATE INDEX facts_key ON facts (owner_id, session_key, ord) WHERE session_key IS NOT NULL;
CREATE INDEX findings_place ON findings (owner_id, root_id, ord);
CREATE INDEX findings_key ON findings (owner_id, session_key, ord) WHERE session_key IS NOT NULL;
CREATE INDEX work_wake ON work (wake_at);
CREATE UNIQUE INDEX vectors_place ON vectors (owner_id, root_id, seq);
CREATE INDEX vectors_key ON vectors (owner_id, session_key, message_id) WHERE session_key IS NOT NULL;
CREATE INDEX requests_expiry ON requests (expires_at);
CREATE UNIQUE INDEX api_keys_id ON api_keys (id);
CREATE UNIQUE INDEX jobs_name ON jobs (owner_id, name);
CREATE INDEX jobs_next ON jobs (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX job_runs_wake ON job_runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX job_runs_open ON job_runs (owner_id, job_id) WHERE wake_at IS NOT NULL;
CREATE UNIQUE INDEX deliveries_run ON deliveries (owner_id, job_id, due_at);
CREATE INDEX deliveries_wake ON deliveries (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_wake ON runs (wake_at, owner_id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_open ON runs (owner_id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_newest ON runs (owner_id, created_at, id);
CREATE INDEX runs_root ON runs (owner_id, root_id) WHERE root_id IS NOT NULL;
CREATE INDEX runs_session ON runs (owner_id, session_id);
CREATE UNIQUE INDEX runs_client ON runs (owner_id, kind, client_key) WHERE client_key IS NOT NULL;
CREATE INDEX audit_at ON audit (owner_id, at);
CREATE VIEW messages_text (id, content, scope) AS SELECT m.id, m.content,
  'o' || hex(m.owner_id) || '0 l' || hex(m.root_id) || '0' || coalesce(' k' || hex(m.session_key) || '0', '') ||
  ' r' || hex(m.role) || '0' || coalesce(' s' || hex(s.source) || '0', '')
  FROM messages m LEFT JOIN sessions s ON s.owner_id = m.owner_id AND s.id = m.session_id;
PRAGMA writable_schema=OFF;
COMMIT;
PRAGMA application_id = 1213353299;
PRAGMA user_version = 1;
