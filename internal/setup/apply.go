package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"turnpost"
	"turnpost/internal/atomicfile"
)

const (
	lockWait  = 10 * time.Second // for another setup to finish
	lockRetry = 20 * time.Millisecond
)

// Applied says what Apply did.
type Applied struct {
	Files   []string `json:"files"`             // targets that were written or removed
	Backups []string `json:"backups,omitempty"` // of their old content, absolute
}

// Apply does exactly the plan or nothing. It refuses with a Conflict when
// expect is set and is not the plan's hash, when a file or the record is not
// what the plan was made from, or when another program writes a file meanwhile:
// what that program wrote stays. An error leaves no file of ours behind.
func (s *Setup) Apply(ctx context.Context, plan Plan, expect string) (Applied, error) {
	if plan.Hash != plan.sum() {
		return Applied{}, turnpost.Errorf(turnpost.Conflict, "the plan was altered after it was made")
	}
	if expect != "" && expect != plan.Hash {
		return Applied{}, turnpost.Errorf(turnpost.Conflict, "the plan is now %s, not %s: something changed since it was shown", plan.Hash, visibleLine(expect)).
			WithHint("look at the plan again")
	}
	remains, err := s.findTemps(plan.records.looked)
	if err != nil {
		return Applied{}, err
	}
	if plan.Empty() && len(remains) == 0 {
		return Applied{}, nil
	}
	if err := os.MkdirAll(s.state, 0o700); err != nil {
		return Applied{}, fmt.Errorf("make state directory: %w", err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Applied{}, err
	}
	defer unlock()

	_, oldRecord, _, err := s.loadRecord()
	if err != nil {
		return Applied{}, err
	}
	if hashOf(oldRecord) != plan.records.from {
		return Applied{}, turnpost.Errorf(turnpost.Conflict, "another setup ran since the plan was made").WithHint("look at the plan again")
	}
	for _, change := range plan.Files {
		if err := change.unchanged(); err != nil {
			return Applied{}, err
		}
	}
	// Under the lock nobody is using what a killed setup left.
	if remains, err = s.findTemps(plan.records.looked); err != nil {
		return Applied{}, err
	}
	for _, path := range remains {
		if err := os.Remove(path); err != nil {
			return Applied{}, fmt.Errorf("remove temporary file: %w", err)
		}
	}
	s.step("checked")

	job := &job{setup: s, oldRecord: oldRecord, newRecord: oldRecord}
	if err := job.run(plan); err != nil {
		return Applied{}, errors.Join(err, job.undo())
	}
	for _, change := range plan.Files {
		if err := s.pruneBackups(change.Target, plan.records.after); err != nil {
			return job.applied, fmt.Errorf("applied, but old backups stay: %w", err)
		}
	}
	return job.applied, nil
}

func (s *Setup) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(filepath.Join(s.state, "setup.lock"))
	ok, err := lock.TryLockContext(ctx, lockRetry)
	if errors.Is(err, context.DeadlineExceeded) || (err == nil && !ok) {
		return nil, turnpost.Errorf(turnpost.Conflict, "another setup is at work").WithHint("try again when it is done")
	}
	if err != nil {
		return nil, fmt.Errorf("lock setup: %w", err)
	}
	return func() { _ = lock.Close() }, nil
}

// unchanged holds the file against the plan.
func (c FileChange) unchanged() error {
	target, err := atomicfile.Resolve(c.Path)
	if err != nil {
		return turnpost.Invalidf(c.Path, "%v", err)
	}
	if target != c.Target {
		return changedMeanwhile(c.Target)
	}
	data, _, err := readSettings(target)
	if err != nil {
		return err
	}
	if !bytes.Equal(data, c.Before) || (data == nil) != (c.Before == nil) {
		return changedMeanwhile(c.Target)
	}
	return nil
}

func changedMeanwhile(path string) error {
	return turnpost.Errorf(turnpost.Conflict, "%s changed since the plan was made", path).WithHint("look at the plan again")
}

// findTemps lists what a killed setup left beside the targets and in the state
// directory.
func (s *Setup) findTemps(targets []string) ([]string, error) {
	var out []string
	find := func(dir, prefix string) error {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil // whoever needs it says what is wrong with it
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("look for temporary files: %w", err)
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), prefix) && entry.Type().IsRegular() {
				out = append(out, filepath.Join(dir, entry.Name()))
			}
		}
		return nil
	}
	for _, target := range append(slices.Clone(targets), s.recordPath()) {
		if err := find(filepath.Dir(target), atomicfile.TempPrefix(target)); err != nil {
			return nil, err
		}
	}
	// Every file of ours in there is named after a file and not hidden, unless
	// that file is.
	if err := find(s.backupDir(), "."); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(path string) bool { return !strings.Contains(filepath.Base(path), ".turnpost-") }), nil
}

// job is one application of a plan, with what it takes to undo it.
type job struct {
	setup     *Setup
	oldRecord []byte // nil: there was none
	newRecord []byte // as it is on disk
	recorded  bool   // it was written
	applied   Applied
	undos     []func() error // newest last
}

func (j *job) run(plan Plan) error {
	if err := j.backUp(plan); err != nil {
		return err
	}
	j.setup.step("backed up")
	if plan.records.changed {
		if err := j.record(plan.records.after.both(plan.records.before)); err != nil {
			return err
		}
	}
	j.setup.step("recorded")
	for _, change := range plan.Files {
		if err := j.change(change); err != nil {
			return err
		}
		j.applied.Files = append(j.applied.Files, change.Target)
	}
	j.setup.step("changed")
	if plan.records.changed {
		return j.record(plan.records.after)
	}
	return nil
}

func (j *job) backUp(plan Plan) error {
	save := func(name string, data []byte) error {
		if err := j.setup.saveBackup(name, data); err != nil {
			return err
		}
		path := filepath.Join(j.setup.backupDir(), name)
		j.undos = append(j.undos, func() error { return os.Remove(path) })
		return nil
	}
	for name, data := range plan.records.bases {
		if err := save(name, data); err != nil {
			return err
		}
	}
	for _, change := range plan.Files {
		if change.Before == nil {
			continue
		}
		name := "" // the base is a backup of the same bytes, if nothing of ours was in them
		for base, data := range plan.records.bases {
			if strings.HasPrefix(base, backupPrefix(change.Target)) && bytes.Equal(data, change.Before) {
				name = base
			}
		}
		if name == "" {
			name = j.setup.backupName(change.Target, change.Before)
			if err := save(name, change.Before); err != nil {
				return err
			}
		}
		j.applied.Backups = append(j.applied.Backups, filepath.Join(j.setup.backupDir(), name))
	}
	return nil
}

// record writes a record unless it is there already.
func (j *job) record(r record) error {
	data, err := r.encode()
	if err != nil || (bytes.Equal(data, j.newRecord) && (data == nil) == (j.newRecord == nil)) {
		return err
	}
	if !j.recorded {
		j.undos = append(j.undos, func() error { return j.setup.saveRecord(j.oldRecord) })
	}
	j.recorded, j.newRecord = true, data
	return j.setup.saveRecord(data)
}

func (j *job) change(change FileChange) error {
	for _, dir := range change.MakeDirs {
		err := os.Mkdir(dir, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
		j.undos = append(j.undos, func() error { return os.Remove(dir) })
	}
	if err := j.setup.commit(change); err != nil {
		return err
	}
	j.undos = append(j.undos, func() error {
		back := change
		back.Before, back.After = change.After, change.Before
		return j.setup.commit(back)
	})
	for _, dir := range slices.Backward(change.DropDirs) {
		// Somebody else's file in it keeps it; that is no error.
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && os.Remove(dir) == nil {
			j.undos = append(j.undos, func() error { return os.Mkdir(dir, 0o755) })
		}
	}
	return nil
}

// undo takes back what was done so far, newest first.
func (j *job) undo() error {
	var errs []error
	for _, undo := range slices.Backward(j.undos) {
		if err := undo(); err != nil {
			errs = append(errs, fmt.Errorf("take back: %w", err))
		}
	}
	return errors.Join(errs...)
}
