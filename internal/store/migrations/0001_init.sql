-- +goose Up
-- The same schema serves SQLite and PostgreSQL. Times are microseconds since
-- 1970 UTC, 0 for "none". Lists and details are JSON text. Sequences are taken
-- by UPDATE ... RETURNING from the row that owns them, never from the database.

CREATE TABLE counters (
    name  TEXT   NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);

INSERT INTO counters (name, value) VALUES ('item', 0), ('notice', 0), ('activity', 0);

CREATE TABLE agents (
    handle       TEXT    NOT NULL PRIMARY KEY,
    human        BOOLEAN NOT NULL,
    root         TEXT    NOT NULL,
    main         TEXT    NOT NULL,
    worktree     TEXT    NOT NULL,
    presence     TEXT    NOT NULL,
    interrupt    TEXT    NOT NULL,
    act          BOOLEAN NOT NULL,
    paused_until BIGINT  NOT NULL,
    created_at   BIGINT  NOT NULL,
    last_seq     BIGINT  NOT NULL
);

-- detail is the whole session; the columns beside it are what is queried.
CREATE TABLE sessions (
    id         TEXT   NOT NULL PRIMARY KEY,
    harness    TEXT   NOT NULL,
    native     TEXT   NOT NULL,
    secret     TEXT   NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL,
    detail     TEXT   NOT NULL,
    UNIQUE (harness, native)
);

CREATE INDEX sessions_ended ON sessions (ended_at);

CREATE TABLE channels (
    name        TEXT   NOT NULL PRIMARY KEY,
    created_by  TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    archived_at BIGINT NOT NULL,
    last_seq    BIGINT NOT NULL
);

CREATE TABLE members (
    channel TEXT NOT NULL REFERENCES channels (name),
    handle  TEXT NOT NULL REFERENCES agents (handle) ON UPDATE CASCADE,
    PRIMARY KEY (channel, handle)
);

CREATE INDEX members_handle ON members (handle);

-- The number is the key; the id is the kind's letter and the number. The long
-- texts stand last, so that a row without them is read without them.
CREATE TABLE items (
    number     INTEGER NOT NULL PRIMARY KEY,
    id         TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    channel    TEXT    NOT NULL,
    seq        BIGINT  NOT NULL,
    author     TEXT    NOT NULL,
    human      BOOLEAN NOT NULL,
    addressees TEXT    NOT NULL,
    thread     TEXT    NOT NULL,
    reply_to   TEXT    NOT NULL,
    urgent     BOOLEAN NOT NULL,
    posted_at  BIGINT  NOT NULL,
    state      TEXT    NOT NULL,
    claimed_by TEXT    NOT NULL,
    session    TEXT    NOT NULL,
    closed_by  TEXT    NOT NULL,
    closed_at  BIGINT  NOT NULL,
    summary    TEXT    NOT NULL,
    result     TEXT    NOT NULL,
    body       TEXT    NOT NULL
);

CREATE INDEX items_author  ON items (author, number);
CREATE INDEX items_channel ON items (channel, number) WHERE channel <> '';
CREATE INDEX items_public  ON items (number) WHERE channel <> '';
CREATE INDEX items_thread  ON items (thread, number) WHERE thread <> '';
CREATE INDEX items_open    ON items (kind, number) WHERE state = 'open';

-- priority is the order of offers: 0 urgent, 1 answer, 2 question or task, 3 the rest.
CREATE TABLE deliveries (
    handle     TEXT     NOT NULL,
    seq        BIGINT   NOT NULL,
    number     BIGINT   NOT NULL REFERENCES items (number),
    item       TEXT     NOT NULL,
    kind       TEXT     NOT NULL,
    addressed  BOOLEAN  NOT NULL,
    urgent     BOOLEAN  NOT NULL,
    priority   SMALLINT NOT NULL,
    state      TEXT     NOT NULL,
    offer      TEXT     NOT NULL,
    session    TEXT     NOT NULL,
    attempt    INTEGER  NOT NULL,
    offered_at BIGINT   NOT NULL,
    lease      BIGINT   NOT NULL,
    stored_at  BIGINT   NOT NULL,
    closed_at  BIGINT   NOT NULL,
    told       BOOLEAN  NOT NULL,
    PRIMARY KEY (handle, seq),
    UNIQUE (number, handle)
);

-- Everything that is asked at a turn boundary, or again and again, sees open
-- deliveries only: closed ones, however many, cost nothing there.
CREATE INDEX deliveries_open  ON deliveries (handle, priority, seq, state, addressed)
    WHERE state IN ('stored', 'held', 'shown');
CREATE INDEX deliveries_to    ON deliveries (handle, number) WHERE addressed;
CREATE INDEX deliveries_held  ON deliveries (handle) WHERE state = 'held';
CREATE INDEX deliveries_offer ON deliveries (offer) WHERE offer <> '';
CREATE INDEX deliveries_unseen ON deliveries (stored_at)
    WHERE state = 'stored' AND lease = 0 AND NOT told AND (urgent OR kind IN ('question', 'task'));
CREATE INDEX deliveries_ignored ON deliveries (attempt, lease)
    WHERE state IN ('stored', 'shown') AND lease > 0 AND NOT told;

CREATE TABLE post_keys (
    author  TEXT   NOT NULL,
    key     TEXT   NOT NULL,
    digest  TEXT   NOT NULL,
    item    TEXT   NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (author, key)
);

CREATE INDEX post_keys_age ON post_keys (made_at);

CREATE TABLE notices (
    id         BIGINT NOT NULL PRIMARY KEY,
    class      TEXT   NOT NULL,
    loud       TEXT   NOT NULL,
    handle     TEXT   NOT NULL,
    session    TEXT   NOT NULL,
    item       TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    told_at    BIGINT NOT NULL,
    cleared_at BIGINT NOT NULL
);

CREATE INDEX notices_standing ON notices (id) WHERE cleared_at = 0;
CREATE INDEX notices_age      ON notices (told_at) WHERE cleared_at > 0;

CREATE TABLE activity (
    seq     BIGINT NOT NULL PRIMARY KEY,
    session TEXT   NOT NULL,
    handle  TEXT   NOT NULL,
    kind    TEXT   NOT NULL,
    state   TEXT   NOT NULL,
    text    TEXT   NOT NULL,
    at      BIGINT NOT NULL
);

CREATE INDEX activity_age ON activity (at);
