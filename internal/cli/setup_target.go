package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"turnpost"
	"turnpost/internal/harness"
	"turnpost/internal/setup"
)

// setupOptions is what setup was told.
type setupOptions struct {
	harnesses []string // names; none: all that are here
	scope     string   // user, project, local
	mode      string   // command, http
	noAllow   bool
	trust     bool // record the review of our hooks too
	service   bool
	homes     map[string]string // by harness: not the usual directory
}

// target is one harness as setup finds it on this machine.
type target struct {
	harness  harness.Harness
	version  string // "" unknown
	detected bool   // its program or its files are here
	at       harness.Target
	trust    bool
	packaged string // the file which says that its own package of Turnpost is installed
	unproved bool   // known by its documentation only, and nobody asked for it
	warnings []string
	problem  error // why nothing can be planned for it
}

func (t target) owner() string { return setup.OwnerOf(t.harness.Name(), t.at) }

func (t target) place() setup.Place {
	place := setup.Place{Owner: t.owner(), Entries: t.harness.Install(t.at), Reviewed: t.trust}
	if reviewer, ok := t.harness.(harness.Reviewer); ok {
		place.Review = func(hook harness.Entry, index int) (harness.Entry, bool) {
			return reviewer.Review(t.at, hook, index, sha256.Sum256)
		}
	}
	return place
}

// old says why setup does not support the installed version, "" when it does.
func (t target) old() string {
	minimum, old := harness.TooOld(t.harness, t.version)
	if !old {
		return ""
	}
	return fmt.Sprintf("version %s is too old: Turnpost needs %s", t.version, minimum)
}

// versionLimit is how long a harness may take to print its version.
const versionLimit = 10 * time.Second

// targets finds the harnesses that setup is about: the named ones, else all
// that are on this machine. What was never run against the real program is
// marked, until somebody names it.
func (a *app) targets(ctx context.Context, o setupOptions) ([]target, error) {
	all, err := o.named()
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	hook, warning, err := a.hookProgram()
	if err != nil {
		return nil, err
	}
	s, err := a.setup()
	if err != nil {
		return nil, err
	}
	versions := a.detectAll(ctx, all)
	var out []target
	for i, h := range all {
		t := target{harness: h, trust: o.trust, at: harness.Target{
			Scope: o.scope, Mode: o.mode, Hook: hook, Program: a.stableProgram(),
			Allow: !o.noAllow, HubURL: a.hubURL(), Project: a.projectRoot(),
		}}
		if warning != "" {
			t.warnings = append(t.warnings, warning)
		}
		if program, ok := h.(harness.Program); ok {
			t.at.Home = program.Home(a.env.Getenv)
			t.version, t.detected = versions[i].version, versions[i].found
			t.at.Version = t.version
		}
		if home := o.homes[h.Name()]; home != "" {
			t.at.Home, t.detected = a.env.abs(home), true
		}
		if info, err := os.Stat(t.at.Home); err == nil && info.IsDir() {
			t.detected = true
		}
		if packaged, ok := h.(harness.Packaged); ok {
			t.packaged = setup.Holds(packaged.PackageSigns(a.env.Getenv))
		}
		if t.at.Home == "" {
			t.problem = turnpost.Errorf(turnpost.Invalid, "nothing says where %s keeps its files", h.Name()).WithHint("set HOME")
		}
		t.unproved = len(o.harnesses) == 0 && h.Profile().Proof != harness.Real && !s.Has(t.owner())
		if t.detected || len(o.harnesses) > 0 {
			out = append(out, t)
		}
	}
	return out, nil
}

// asked leaves out what nobody asked for.
func asked(targets []target) []target {
	return slices.DeleteFunc(targets, func(t target) bool { return t.unproved })
}

// named lists the harnesses of those names, all of them for none.
func (o setupOptions) named() ([]harness.Harness, error) {
	for _, name := range o.harnesses {
		if _, ok := harness.Find(name); !ok {
			return nil, turnpost.Invalidf("harness", "%.40q is not a harness that we know", name).
				WithHint("use %s", harnessNames())
		}
	}
	all := harness.All()
	if len(o.harnesses) > 0 {
		all = slices.DeleteFunc(all, func(h harness.Harness) bool { return !slices.Contains(o.harnesses, h.Name()) })
	}
	return all, nil
}

func (o setupOptions) check() error {
	switch o.scope {
	case "user", "project", "local":
	default:
		return turnpost.Invalidf("scope", "%.40q is not a scope", o.scope).WithHint("use user, project or local")
	}
	switch o.mode {
	case "command", "http":
	default:
		return turnpost.Invalidf("mode", "%.40q is not a mode", o.mode).WithHint("use command or http")
	}
	return nil
}

// installed is what is known of a harness's program.
type installed struct {
	version string // "" unknown
	found   bool   // it is on PATH
}

// detectAll asks the programs of harnesses for their versions, all at once.
func (a *app) detectAll(ctx context.Context, all []harness.Harness) []installed {
	out := make([]installed, len(all))
	var work sync.WaitGroup
	for i, h := range all {
		if program, ok := h.(harness.Program); ok {
			work.Go(func() { out[i] = a.detect(ctx, program) })
		}
	}
	work.Wait()
	return out
}

// detect asks a harness's program for its version, once while it stays the same.
func (a *app) detect(ctx context.Context, program harness.Program) installed {
	path, err := exec.LookPath(program.Binary())
	if err != nil {
		return installed{}
	}
	key := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if packed, ok := program.(harness.Packed); ok {
			if version := packageVersion(packed.PackageOf(real)); version != "" {
				return installed{version, true}
			}
		}
		if info, err := os.Stat(real); err == nil {
			key = fmt.Sprint(real, info.Size(), info.ModTime())
		}
	}
	if known, ok := a.versions.Load(key); ok {
		return installed{known.(string), true}
	}
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, program.VersionArgs()...)
	cmd.Env = a.env.Environ
	cmd.WaitDelay = time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // a program that does not say its version is found all the same
	version := program.Version(out.String())
	if version == "" {
		version = program.Version(said.String())
	}
	if version != "" {
		a.versions.Store(key, version)
	}
	return installed{version, true}
}

// hubURL is where harnesses send events in http mode.
func (a *app) hubURL() string {
	if dir, err := a.state(); err == nil {
		if hub, err := dir.ReadHub(); err == nil && hub.TCP != "" {
			return "http://" + hub.TCP
		}
	}
	return "http://" + defaultListen
}

// projectRoot is the repository around the working directory, or that itself.
func (a *app) projectRoot() string {
	for dir := a.env.Dir; dir != "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
	}
	return a.env.Dir
}

func (a *app) setup() (*setup.Setup, error) {
	dir, err := a.state()
	if err != nil {
		return nil, err
	}
	return setup.New(string(dir), a.env.Now), nil
}

// setUp tells whether setup has been applied.
func (a *app) setUp() bool {
	s, err := a.setup()
	if err != nil {
		return false
	}
	plan, err := s.PlanUninstall()
	return err == nil && !plan.Empty()
}

// service is the unit that keeps the hub up.
func (a *app) service() (setup.Service, error) {
	dir, err := a.state()
	if err != nil {
		return setup.Service{}, err
	}
	return setup.NewService(setup.ServiceSpec{
		OS: goos, Home: a.env.Home, ConfigHome: a.env.Getenv("XDG_CONFIG_HOME"),
		Program: a.stableProgram(), State: string(dir), Path: a.env.Getenv("PATH"), Log: dir.Log(), Notify: true,
	})
}

// enabled holds that nobody takes the file of a service away under a manager
// that still starts it: systemd then finds no way to forget it.
func enabled(service setup.Service) error {
	for _, entry := range service.Place.Entries {
		link := filepath.Join(filepath.Dir(entry.File), "default.target.wants", filepath.Base(entry.File))
		if _, err := os.Lstat(link); err == nil {
			return turnpost.Errorf(turnpost.Conflict, "the service is still enabled").WithHint("first run: %s", service.Stop)
		}
	}
	return nil
}

// packageVersion is the version in a package.json, "" where it is not that of
// the package.
func packageVersion(file, name string) string {
	data, err := os.ReadFile(file)
	var described struct{ Name, Version string }
	if err != nil || json.Unmarshal(data, &described) != nil || described.Name != name {
		return ""
	}
	return described.Version
}
