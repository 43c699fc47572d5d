-- Sessions outlive a restart and end with the person's revocation.
CREATE TABLE session (
  secret_hash TEXT PRIMARY KEY,
  annotator INTEGER NOT NULL REFERENCES annotator,
  expires REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX current_annotator ON current (annotator);

-- Answers in a round; 0 where rounds are drawn by hand alone.
ALTER TABLE project ADD COLUMN round_size INTEGER NOT NULL DEFAULT 50;
-- Notes of the run that scored the answers, with counts.
ALTER TABLE project ADD COLUMN notes_json TEXT NOT NULL DEFAULT '{}';
