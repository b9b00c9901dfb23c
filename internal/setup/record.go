package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"turnpost"
	"turnpost/internal/atomicfile"
)

// recordVersion is raised when an older program could misread the record.
const recordVersion = 1

// record is what setup remembers of what it wrote: setup.json in the state
// directory. While files are being written it holds what was there and what
// will be there: after a crash it claims too much, which does no harm, and never
// too little, which would leave entries that nobody takes away.
type record struct {
	Version int          `json:"version"`
	Files   []recordFile `json:"files"`
}

// recordFile is one changed file.
type recordFile struct {
	Path       string        `json:"path"`  // all links resolved
	Named      string        `json:"named"` // as the entries named it
	After      string        `json:"after"` // hash of what we wrote
	Base       baseFile      `json:"base"`  // the file without us
	Containers []string      `json:"containers,omitempty"`
	Dirs       []string      `json:"dirs,omitempty"` // made for it, outermost first
	Entries    []recordEntry `json:"entries"`
}

// baseFile is what a file is without any entry of ours.
type baseFile struct {
	Absent bool   `json:"absent,omitempty"`
	Hash   string `json:"hash,omitempty"`
	Backup string `json:"backup,omitempty"` // name in the backups directory
}

// recordEntry is one entry that we added: not one that was there before.
type recordEntry struct {
	Owner   string          `json:"owner"`
	Dialect string          `json:"dialect"`
	Pointer string          `json:"pointer,omitempty"`
	Key     string          `json:"key,omitempty"`
	Value   json.RawMessage `json:"value"`
	Why     string          `json:"why,omitempty"`
	Review  bool            `json:"review,omitempty"` // it records that the user reviewed another one
	Words   bool            `json:"words,omitempty"`  // the harness is heard without it too
}

func (e recordEntry) value() Value { return Value{Pointer: e.Pointer, Key: e.Key, JSON: e.Value} }

func (e recordEntry) same(other recordEntry) bool {
	return e.Owner == other.Owner && e.Dialect == other.Dialect && e.Pointer == other.Pointer && e.Key == other.Key &&
		bytes.Equal(e.Value, other.Value)
}

func (r record) file(path string) (recordFile, bool) {
	at := slices.IndexFunc(r.Files, func(f recordFile) bool { return f.Path == path })
	if at < 0 {
		return recordFile{}, false
	}
	return r.Files[at], true
}

// with returns the record with one file replaced, or dropped when no entry of
// ours is left in it.
func (r record) with(file recordFile) record {
	files := slices.DeleteFunc(slices.Clone(r.Files), func(f recordFile) bool { return f.Path == file.Path })
	if len(file.Entries) > 0 {
		files = append(files, file)
	}
	r.Files = files
	return r
}

// both returns what either record claims: of a file that both know, all entries
// and containers, and else what r says.
func (r record) both(old record) record {
	out := record{Version: r.Version, Files: slices.Clone(r.Files)}
	for _, file := range old.Files {
		at := slices.IndexFunc(out.Files, func(f recordFile) bool { return f.Path == file.Path })
		if at < 0 {
			out.Files = append(out.Files, file)
			continue
		}
		merged := &out.Files[at]
		merged.Entries = slices.Clone(merged.Entries)
		for _, entry := range file.Entries {
			if !slices.ContainsFunc(merged.Entries, entry.same) {
				merged.Entries = append(merged.Entries, entry)
			}
		}
		merged.Containers = union(merged.Containers, file.Containers)
		merged.Dirs = union(merged.Dirs, file.Dirs)
	}
	return out
}

// of lists the files in which an owner has entries.
func (r record) of(owner string) []recordFile {
	var out []recordFile
	for _, file := range r.Files {
		if slices.ContainsFunc(file.Entries, func(e recordEntry) bool { return e.Owner == owner }) {
			out = append(out, file)
		}
	}
	return out
}

// Has tells whether entries of an owner are recorded.
func (s *Setup) Has(owner string) bool {
	r, _, _, err := s.loadRecord()
	return err == nil && len(r.of(owner)) > 0
}

func (s *Setup) recordPath() string { return filepath.Join(s.state, "setup.json") }

// loadRecord returns the record with its bytes. A missing record is empty. One
// that cannot be read is lost, which damaged says: our entries are then found
// by their values alone.
func (s *Setup) loadRecord() (r record, data []byte, damaged error, err error) {
	data, err = os.ReadFile(s.recordPath())
	if errors.Is(err, fs.ErrNotExist) {
		return record{Version: recordVersion}, nil, nil, nil
	}
	if err != nil {
		return record{}, nil, nil, fmt.Errorf("read record: %w", err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return record{Version: recordVersion}, data, err, nil
	}
	if r.Version > recordVersion {
		return record{}, nil, nil, turnpost.Errorf(turnpost.Conflict, "%s was written by a newer Turnpost (record %d, this one knows %d)",
			s.recordPath(), r.Version, recordVersion).WithHint("use the newer turnpost")
	}
	for _, file := range r.Files {
		for i := range file.Entries {
			// The file is indented for people, values in it too.
			var compact bytes.Buffer
			if err := json.Compact(&compact, file.Entries[i].Value); err != nil {
				return record{Version: recordVersion}, data, err, nil
			}
			file.Entries[i].Value = compact.Bytes()
		}
	}
	return r, data, nil, nil
}

// encode returns the bytes of a record, nil of one that claims nothing.
func (r record) encode() ([]byte, error) {
	if len(r.Files) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // would change values
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return out.Bytes(), nil
}

// saveRecord puts the record in place; nil removes it.
func (s *Setup) saveRecord(data []byte) error {
	if data == nil {
		if err := os.Remove(s.recordPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove record: %w", err)
		}
		return nil
	}
	if err := atomicfile.Write(s.recordPath(), data, 0o600); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
