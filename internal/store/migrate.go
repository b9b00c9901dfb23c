package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"turnpost"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date, or refuses a newer one.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return turnpost.Errorf(turnpost.Unavailable, "the file system of %s cannot keep a write-ahead log", path).
			WithHint("set TURNPOST_HOME to a directory on a local disk")
	}
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, steps,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	have, know, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if have > know {
		return turnpost.Errorf(turnpost.Unavailable,
			"a newer Turnpost wrote the store %s: its schema is version %d, this program knows %d", path, have, know).
			WithHint("install that version again, or set TURNPOST_HOME to another directory")
	}
	if have == know {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring schema from version %d to %d: %w", have, know, err)
	}
	return nil
}
