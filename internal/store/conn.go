package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"modernc.org/sqlite"
)

// conn is one connection with the statements that it has prepared so far. One
// goroutine uses it at a time.
type conn struct {
	sql   *sql.Conn
	stmts map[string]*sql.Stmt
}

func newConn(ctx context.Context, db *sql.DB) (*conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{sql: c, stmts: map[string]*sql.Stmt{}}, nil
}

// stmt prepares a statement once. Texts are constants or one of a few built
// from constants, so the cache stays small.
//
// No statement takes the caller's context: the driver would start a goroutine
// for each, and none of them runs long. Callers look at it between statements.
func (c *conn) stmt(query string) (*sql.Stmt, error) {
	if stmt := c.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := c.sql.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = stmt
	return stmt, nil
}

func (c *conn) exec(query string, args ...any) error {
	stmt, err := c.stmt(query)
	if err == nil {
		_, err = stmt.Exec(args...)
	}
	return err
}

// scan reads one row.
func (c *conn) scan(query string, dest ...any) error {
	stmt, err := c.stmt(query)
	if err != nil {
		return err
	}
	return stmt.QueryRow().Scan(dest...)
}

// close gives the connection back to its pool, which closes it.
func (c *conn) close() {
	for _, stmt := range c.stmts {
		_ = stmt.Close() // it goes with its connection
	}
	_ = c.sql.Close()
}

// pagesWritten counts the pages that the connection has added to the log.
func (c *conn) pagesWritten(reset bool) (pages int, err error) {
	err = c.sql.Raw(func(driver any) error {
		status, ok := driver.(sqlite.DBStatus)
		if !ok {
			return fmt.Errorf("driver connection is a %T", driver)
		}
		pages, _, err = status.Status(sqlite.DBStatusCacheWrite, reset)
		return err
	})
	return pages, err
}

func openDB(dsn string) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// maxLog is how large the log may stay on disk once its content is in the file.
const maxLog = 64 << 20

func writerDSN(path string, maxPages int) string {
	pragmas := []string{
		"busy_timeout(5000)",
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"fullfsync(1)", // macOS: its fsync alone does not reach the platter
		"foreign_keys(1)",
		"wal_autocheckpoint(0)", // the writer does it after it has answered
		"journal_size_limit(" + strconv.Itoa(maxLog) + ")",
		"cache_size(-8000)",
		"temp_store(2)",
	}
	if maxPages > 0 {
		pragmas = append(pragmas, "max_page_count("+strconv.Itoa(maxPages)+")")
	}
	return dsn(path, "rw", pragmas, "_txlock", "immediate")
}

func readerDSN(path string) string {
	return dsn(path, "ro", []string{"busy_timeout(5000)", "temp_store(2)"})
}

func dsn(path, mode string, pragmas []string, more ...string) string {
	query := url.Values{"mode": {mode}, "_dqs": {"0"}, "_pragma": pragmas}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // "C:/..." on Windows
	}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}).String()
}
