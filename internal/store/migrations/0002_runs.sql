-- +goose Up
-- A run is what its journal makes of it. The columns of runs are what is
-- queried; detail is the run as lists show it.

INSERT INTO counters (name, value) VALUES ('run', 0);

CREATE TABLE runs (
    number     INTEGER NOT NULL PRIMARY KEY,
    handle     TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    started_by TEXT    NOT NULL,
    start_key  TEXT    NOT NULL,
    ended_at   BIGINT  NOT NULL,
    detail     TEXT    NOT NULL
);

CREATE INDEX runs_ended ON runs (ended_at);
CREATE INDEX runs_handle ON runs (handle);
CREATE INDEX runs_starter ON runs (started_by);
CREATE UNIQUE INDEX runs_key ON runs (started_by, start_key) WHERE start_key <> '';

CREATE TABLE run_events (
    run    INTEGER NOT NULL REFERENCES runs (number),
    seq    BIGINT  NOT NULL,
    detail TEXT    NOT NULL,
    PRIMARY KEY (run, seq)
);
