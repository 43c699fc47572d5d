-- Whose ratings do not count (the last word on each person decides), and what stands without theirs.
CREATE INDEX event_exclude ON event (annotator, seq) WHERE type = 'exclude';
CREATE VIEW excluded AS SELECT annotator FROM (
  SELECT annotator, value, max(seq) FROM event WHERE type = 'exclude' GROUP BY annotator
) WHERE value = 1;
CREATE VIEW counted AS SELECT * FROM current WHERE annotator NOT IN (SELECT annotator FROM excluded);
