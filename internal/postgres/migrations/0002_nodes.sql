-- The processes that share the database. A node whose time is over holds nothing any more:
-- a node that waits for it deletes its row, and its tickets go with it. Every write of a node
-- looks at the node's row first, and keeps it from being deleted until the write is over.
CREATE TABLE nodes (
  node_id TEXT COLLATE "C" PRIMARY KEY,
  place   TEXT COLLATE "C" NOT NULL UNIQUE,  -- of the process, such as its home: one process at a time is there
  name    TEXT COLLATE "C" NOT NULL,         -- for people
  joined  TIMESTAMPTZ      NOT NULL DEFAULT now(),
  until   TIMESTAMPTZ      NOT NULL
);

-- A place is what one turn at a time may use: a lineage, or the order of a session key. The
-- row is locked while a ticket is drawn, so that tickets of a place rise in the order in
-- which they can be seen.
CREATE TABLE places (
  owner_id TEXT COLLATE "C" NOT NULL,
  name     TEXT COLLATE "C" NOT NULL,        -- a hash
  drawn    TIMESTAMPTZ      NOT NULL,        -- when its newest ticket was drawn
  PRIMARY KEY (owner_id, name)
);

CREATE SEQUENCE ticket_numbers;

-- Who holds a place, and who waits for it: the smallest ticket is the holder's.
CREATE TABLE tickets (
  owner_id TEXT COLLATE "C" NOT NULL,
  name     TEXT COLLATE "C" NOT NULL,
  ticket   BIGINT           NOT NULL DEFAULT nextval('ticket_numbers'),
  draw     TEXT COLLATE "C" NOT NULL,        -- by which the node knows it, whatever became of the answer
  node_id  TEXT COLLATE "C" NOT NULL REFERENCES nodes ON DELETE CASCADE,
  PRIMARY KEY (owner_id, name, ticket)
);

CREATE INDEX tickets_node ON tickets (node_id);
