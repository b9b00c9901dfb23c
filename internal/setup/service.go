package setup

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"
	"unicode"

	"turnpost"
	"turnpost/internal/harness"
)

// ServiceSpec is what a service that keeps the hub up needs to know.
type ServiceSpec struct {
	OS         string // "linux" (a systemd user unit) or "darwin" (a launchd agent)
	Home       string // of the user
	ConfigHome string // XDG_CONFIG_HOME; empty: Home/.config
	Program    string // absolute, stable path of turnpost
	State      string // state directory
	Path       string // PATH of the user: some sessions are rung by their harness's own program
	Log        string // where launchd sends output
	Notify     bool   // the hub tells systemd when it is ready and alive
}

// Service is a place whose one entry is the whole service file, and the
// commands that a person runs: setup writes files and starts nothing.
type Service struct {
	Place  Place
	Start  string // after applying
	Status string
	Stop   string // before removing
}

//go:embed service_systemd.tmpl
var systemdUnit string

//go:embed service_launchd.tmpl
var launchdAgent string

// NewService returns the service of an operating system. Other systems than
// linux and darwin have none: Invalid.
func NewService(spec ServiceSpec) (Service, error) {
	for _, path := range []string{spec.Program, spec.State, spec.Home} {
		if !filepath.IsAbs(path) || strings.ContainsFunc(path, unicode.IsControl) {
			return Service{}, turnpost.Invalidf("service", "%q cannot stand in a service file: not a plain absolute path", path)
		}
	}
	if strings.ContainsFunc(spec.Path, unicode.IsControl) {
		spec.Path = ""
	}
	switch spec.OS {
	case "linux":
		config := spec.ConfigHome
		if config == "" {
			config = filepath.Join(spec.Home, ".config")
		}
		return newService(spec, systemdUnit, filepath.Join(config, "systemd", "user", "turnpost.service"), Service{
			Start:  "systemctl --user daemon-reload && systemctl --user enable --now turnpost.service",
			Status: "systemctl --user status turnpost.service",
			Stop:   "systemctl --user disable --now turnpost.service",
		})
	case "darwin":
		file := filepath.Join(spec.Home, "Library", "LaunchAgents", "turnpost.hub.plist")
		return newService(spec, launchdAgent, file, Service{
			Start:  "launchctl bootstrap gui/$(id -u) " + ShellQuote(file),
			Status: "launchctl print gui/$(id -u)/turnpost.hub",
			Stop:   "launchctl bootout gui/$(id -u)/turnpost.hub",
		})
	}
	return Service{}, turnpost.Invalidf("service", "there is no service for %s", spec.OS).
		WithHint("turnpost up -d keeps the hub up without one")
}

func newService(spec ServiceSpec, text, file string, service Service) (Service, error) {
	parsed, err := template.New("service").Funcs(template.FuncMap{"systemd": systemdWord, "start": systemdStart, "xml": xmlText}).Parse(text)
	if err != nil {
		return Service{}, fmt.Errorf("read service template: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, spec); err != nil {
		return Service{}, fmt.Errorf("fill service template: %w", err)
	}
	service.Place = Place{Owner: "service", Entries: []harness.Entry{{
		File: file, Dialect: "file", Value: out.String(), Why: "keep the hub up across logins",
	}}}
	return service, nil
}

// systemdWord quotes one word as systemd.syntax(7) has it, specifiers included.
func systemdWord(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(s) + `"`
}

// systemdStart is the start of a command for ExecStart. The colon keeps "$" as
// it is. systemd takes no quotes and backslashes in the name of an executable
// (252, "contains special characters"), so a shell execs such a one.
func systemdStart(program string) string {
	if strings.ContainsAny(program, `'"\\`) {
		return `:/bin/sh -c "exec \"$0\" \"$@\"" ` + systemdWord(program)
	}
	return systemdWord(":" + program)
}

func xmlText(s string) (string, error) {
	var out bytes.Buffer
	err := xml.EscapeText(&out, []byte(s))
	return out.String(), err
}
