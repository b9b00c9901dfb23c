package turnpost_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicenses holds that every module that is linked into a program has a
// licence which asks for nothing but its notice. Modules of tests are free.
func TestLicenses(t *testing.T) {
	permissive := map[string]string{
		"Apache-2.0": "Apache License Version 2.0",
		"BSD":        "Redistribution and use in source and binary forms",
		"MIT":        "Permission is hereby granted, free of charge, to any person obtaining a copy",
		"ISC":        "Permission to use, copy, modify, and/or distribute this software for any purpose",
		"0BSD, ISC":  "Permission to use, copy, modify, and distribute this software for any purpose",
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{with .Replace}}{{.Path}} {{.Dir}}{{else}}{{.Path}} {{.Dir}}{{end}}{{end}}{{end}}",
		"./cmd/turnpost", "./cmd/turnpost-hook")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list modules: %v", err)
	}
	modules := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			modules[path] = dir
		}
	}
	if len(modules) < 20 {
		t.Fatalf("found %d modules", len(modules))
	}
	for path, dir := range modules {
		text := licenseOf(t, dir)
		found := ""
		for name, phrase := range permissive {
			if strings.Contains(text, phrase) {
				found = name
			}
		}
		if found == "" {
			t.Errorf("%s: no licence that we know in %s", path, dir)
		}
	}
}

// licenseOf joins the licence files of a module, words apart by one space.
func licenseOf(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.Contains(name, "3RD-PARTY") {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, strings.Fields(string(data))...)
		}
	}
	return strings.Join(all, " ")
}
