package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"turnpost"
	"turnpost/internal/hub"
)

// configFile is what the user may write to config.toml. It is read from the
// user's own configuration directory only, never from a repository.
type configFile struct {
	Listen    string                   `toml:"listen"`    // address of the page, "off": none
	Escalate  duration                 `toml:"escalate"`  // undelivered for so long: the user is told
	Retention duration                 `toml:"retention"` // of activity and cleared notices
	Handles   map[string]string        `toml:"handles"`   // path → handle
	Agents    map[string]agentConfig   `toml:"agents"`    // by handle
	Failures  map[string]failureConfig `toml:"failures"`  // by failure class
	Wake      wakeConfig               `toml:"wake"`
	Keep      keepConfig               `toml:"keep"`
}

type keepConfig struct {
	Off   bool     `toml:"off"`   // no notes are kept
	Fresh duration `toml:"fresh"` // older ones are not given back
}

type wakeConfig struct {
	Keys bool `toml:"keys"` // type into a tmux pane whose session nothing else wakes
}

type agentConfig struct {
	Interrupt turnpost.InterruptLevel `toml:"interrupt"`
	Act       bool                    `toml:"act"`
}

type failureConfig struct {
	Presence *turnpost.Presence `toml:"presence"`
	Loud     turnpost.Loudness  `toml:"loud"`
}

// duration is "90s", "5m", "12h" or "14d".
type duration time.Duration

// UnmarshalText reads the user's form of a duration.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := parseDuration(string(text))
	*d = duration(parsed)
	return err
}

// parseDuration reads Go's form and whole days.
func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err == nil {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration like 90s, 5m, 12h or 14d", text)
	}
	return d, nil
}

// config is the checked configuration.
type config struct {
	path   string
	listen string
	keys   bool          // typing into terminals is allowed
	fresh  time.Duration // of notes; 0: none are kept
	hub    hub.Config
}

// configPath is where the user's configuration is.
func (a *app) configPath() (string, error) {
	if dir := a.env.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "turnpost", "config.toml"), nil
	}
	if a.env.Home == "" {
		return "", turnpost.Errorf(turnpost.Invalid, "HOME is not set")
	}
	return filepath.Join(a.env.Home, ".config", "turnpost", "config.toml"), nil
}

// loadConfig reads and checks the configuration; a missing file is an empty one.
func (a *app) loadConfig() (config, error) {
	path, err := a.configPath()
	if err != nil {
		return config{}, err
	}
	c := config{path: path}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	var file configFile
	decoder := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return c, tomlError(path, err)
	}
	c.listen, c.keys = file.Listen, file.Wake.Keys
	if c.fresh, err = file.Keep.freshness(path); err != nil {
		return c, err
	}
	if c.hub, err = a.hubConfig(file); err != nil {
		var coded *turnpost.Error
		if errors.As(err, &coded) {
			coded.Field = path + ": " + coded.Field
		}
		return c, err
	}
	return c, nil
}

// freshness is for how long notes are given back, 0 where none are kept.
func (k keepConfig) freshness(path string) (time.Duration, error) {
	fresh := time.Duration(k.Fresh)
	switch {
	case k.Off:
		return 0, nil
	case fresh == 0:
		return 24 * time.Hour, nil
	case fresh < time.Minute:
		return 0, turnpost.Invalidf(path+": keep.fresh", "is %s, at least 1m is allowed", fresh).WithHint("off = true keeps no notes at all")
	}
	return fresh, nil
}

// tomlError names the place of a mistake.
func tomlError(path string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := unknown.Errors[0]
		row, column := first.Position()
		return turnpost.Invalidf(fmt.Sprintf("%s:%d:%d", path, row, column), "%q is not a key of the configuration", strings.Join(first.Key(), ".")).
			WithHint("keys are listen, escalate, retention, [handles], [agents.\"@name\"], [failures.CLASS], [wake], [keep]")
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		row, column := wrong.Position()
		return turnpost.Invalidf(fmt.Sprintf("%s:%d:%d", path, row, column), "%s", strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return turnpost.Invalidf(path, "%v", err)
}

// hubConfig checks the values and brings them into the hub's form.
func (a *app) hubConfig(file configFile) (hub.Config, error) {
	out := hub.Config{
		Human:     a.human(),
		Escalate:  time.Duration(file.Escalate),
		Retention: time.Duration(file.Retention),
		Handles:   map[string]string{},
		Interrupt: map[string]turnpost.InterruptLevel{},
		Act:       map[string]bool{},
		Failures:  map[turnpost.FailureClass]hub.FailurePolicy{},
	}
	for path, handle := range file.Handles {
		parsed, err := hub.ParseHandle(fmt.Sprintf("handles.%q", path), handle)
		if err != nil {
			return out, err
		}
		resolved, err := a.resolvePath(path)
		if err != nil {
			return out, turnpost.Invalidf(fmt.Sprintf("handles.%q", path), "%v", err)
		}
		out.Handles[resolved] = parsed
	}
	for handle, agent := range file.Agents {
		field := fmt.Sprintf("agents.%q", handle)
		parsed, err := hub.ParseHandle(field, handle)
		if err != nil {
			return out, err
		}
		levels := []turnpost.InterruptLevel{"", turnpost.InterruptAll, turnpost.InterruptNeedsAction, turnpost.InterruptUrgent, turnpost.InterruptNone}
		if !slices.Contains(levels, agent.Interrupt) {
			return out, turnpost.Invalidf(field+".interrupt", "%.40q is not a level", string(agent.Interrupt)).
				WithHint("use all, needs-action, urgent or none")
		}
		if agent.Interrupt != "" {
			out.Interrupt[parsed] = agent.Interrupt
		}
		if agent.Act {
			out.Act[parsed] = true
		}
	}
	for name, policy := range file.Failures {
		class, checked, err := failurePolicy(name, policy)
		if err != nil {
			return out, err
		}
		out.Failures[class] = checked
	}
	return out, nil
}

// failurePolicy checks one [failures.CLASS].
func failurePolicy(name string, f failureConfig) (turnpost.FailureClass, hub.FailurePolicy, error) {
	class, field := turnpost.FailureClass(name), "failures."+name
	classes := turnpost.FailureClasses()
	if !slices.Contains(classes, class) {
		words := make([]string, len(classes))
		for i, c := range classes {
			words[i] = string(c)
		}
		return "", hub.FailurePolicy{}, turnpost.Invalidf(field, "is not a class of failures").WithHint("use %s", strings.Join(words, ", "))
	}
	policy := hub.FailurePolicy{Loud: f.Loud}
	if f.Presence != nil {
		policy.Presence = *f.Presence
	}
	if f.Presence == nil || !slices.Contains([]turnpost.Presence{"", turnpost.Away, turnpost.Offline}, policy.Presence) {
		return "", policy, turnpost.Invalidf(field+".presence", "has to be away, offline, or \"\" for a turn that only ends")
	}
	if !slices.Contains([]turnpost.Loudness{turnpost.LoudSilent, turnpost.LoudNotice, turnpost.LoudUrgent}, policy.Loud) {
		return "", policy, turnpost.Invalidf(field+".loud", "has to be silent, notice or urgent")
	}
	return class, policy, nil
}

// resolvePath makes a path of the configuration absolute and free of links, as
// hooks report it. One that does not exist yet stays as it is.
func (a *app) resolvePath(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(a.env.Home, rest)
	}
	if !filepath.IsAbs(path) {
		return "", errors.New("is not an absolute path")
	}
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return filepath.Clean(path), nil
	}
	if err != nil {
		return "", err
	}
	return resolved, nil
}

// human is the person's handle, from the login.
func (a *app) human() string {
	name := strings.ToLower(a.env.Login)
	if handle, err := hub.ParseHandle("login", name); err == nil {
		return handle
	}
	name = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name), "-")
	if handle, err := hub.ParseHandle("login", cut(name, 30)); err == nil {
		return handle
	}
	return "@me"
}
