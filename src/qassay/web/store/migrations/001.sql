CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  task TEXT NOT NULL CHECK (task IN ('likert5', 'binary', 'pair')),
  k INTEGER NOT NULL CHECK (k >= 1),
  lease_s INTEGER NOT NULL CHECK (lease_s >= 1),
  gold_every INTEGER NOT NULL CHECK (gold_every >= 2),
  seed INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  judge TEXT,
  cut REAL
) STRICT;

CREATE TABLE guideline (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project,
  version INTEGER NOT NULL,
  text TEXT NOT NULL,
  examples_json TEXT NOT NULL,
  UNIQUE (project, version)
) STRICT;

CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project,
  kind TEXT NOT NULL CHECK (kind IN ('work', 'gold', 'practice')),
  example_id TEXT NOT NULL,
  system TEXT NOT NULL,
  question TEXT NOT NULL,
  context TEXT,
  references_json TEXT NOT NULL,
  candidate TEXT,
  other TEXT,
  sha256 TEXT NOT NULL,
  example_json TEXT NOT NULL,
  gold REAL,
  why TEXT,
  round INTEGER,
  probability REAL CHECK (probability > 0 AND probability <= 1),
  position INTEGER,
  UNIQUE (project, kind, example_id, system)
) STRICT;
CREATE INDEX item_next ON item (project, kind, round, position);

CREATE TABLE score (
  item INTEGER NOT NULL REFERENCES item,
  metric TEXT NOT NULL,
  place INTEGER NOT NULL,
  signature TEXT NOT NULL,
  value REAL,
  reason TEXT,
  noted INTEGER NOT NULL DEFAULT 0,
  asserted TEXT,
  PRIMARY KEY (item, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE annotator (
  id INTEGER PRIMARY KEY,
  project INTEGER REFERENCES project,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'annotator', 'adjudicator', 'program')),
  token_hash TEXT UNIQUE,
  revoked_at TEXT,
  UNIQUE (project, name)
) STRICT;

CREATE TABLE lease (
  item INTEGER NOT NULL REFERENCES item,
  annotator INTEGER NOT NULL REFERENCES annotator,
  expires REAL NOT NULL,
  PRIMARY KEY (item, annotator)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES project,
  item INTEGER REFERENCES item,
  annotator INTEGER REFERENCES annotator,
  guideline INTEGER REFERENCES guideline,
  type TEXT NOT NULL CHECK (type IN
    ('judge', 'undo', 'cannot', 'flag', 'comment', 'adjudicate', 'exclude', 'admin')),
  value REAL,
  text TEXT,
  reverts TEXT,
  elapsed_ms INTEGER,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX event_item ON event (item, type);
CREATE INDEX event_annotator ON event (annotator, seq);
CREATE TRIGGER event_is_kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER event_is_fixed BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;

CREATE TABLE current (
  item INTEGER NOT NULL REFERENCES item,
  annotator INTEGER NOT NULL REFERENCES annotator,
  value REAL,
  event INTEGER NOT NULL REFERENCES event,
  PRIMARY KEY (item, annotator)
) STRICT, WITHOUT ROWID;
