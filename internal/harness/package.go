package harness

import (
	"strings"

	"turnpost"
)

// Packaged is a harness that takes Turnpost as a package of its own too: a
// plugin, an extension. The packages are in this repository, made of the
// adapters by make gen; a test holds that they are current. A package brings the
// hooks and no program: it looks for these on PATH and in ~/.local/bin, and is
// silent without them.
type Packaged interface {
	// Package is its files.
	Package() []PackageFile
	// PackageSigns are values of which any one tells that the package is
	// installed and switched on. They are looked for and never written; one of
	// the dialect "file" is a file with any content.
	PackageSigns(getenv func(string) string) []Entry
	// PackageInstall and PackageRemove are lines for a shell, the first in a copy
	// of this repository.
	PackageInstall() string
	PackageRemove() string
}

// PackageFile is one file of a package.
type PackageFile struct {
	Path string // in this repository, with slashes
	JSON any    // its content, to be written with an indent; nil: Text is
	Text string
}

// packageVersion is that of all packages.
const packageVersion = "0.1.0"

const packageWhat = "Mail between coding agents, and between you and them, at the moment an agent can take it"

// packageOwner is who made a package.
type packageOwner struct {
	Name string `json:"name"`
}

// packageHooks is the hook settings of a package, as entries put them into a
// settings file.
func packageHooks(entries []Entry) map[string]any {
	hooks := map[string][]any{}
	for _, entry := range entries {
		if event, ok := strings.CutPrefix(entry.Pointer, "/hooks/"); ok {
			hooks[event] = append(hooks[event], entry.Value)
		}
	}
	return map[string]any{"hooks": hooks}
}

// packageServer is our MCP server for a package, which does not know where the
// program is.
func packageServer() mcpServer {
	return mcpServer{Command: "sh", Args: []string{"-c", found("turnpost") + `exec "$p" mcp`}}
}

// packagePlugin is a plugin as pluginFile makes it, for a package.
func packagePlugin(name, own string) string {
	_, core, _ := strings.Cut(pluginCore, "\n") // without the line that names setup
	return `// Made by make gen. It looks for Turnpost on PATH and in ~/.local/bin.
` + core + `
import * as turnpostFiles from "node:fs"
import * as turnpostSystem from "node:os"

const turnpostSetup = (() => {
  const places = [...(process.env.PATH ?? "").split(":"), turnpostSystem.homedir() + "/.local/bin"]
  const find = (program) => places.map((place) => place + "/" + program).find((path) => turnpostFiles.existsSync(path)) ?? program
  return { hook: [find("turnpost-hook"), "` + name + `"], program: find("turnpost") }
})()
` + own
}

// packageSkill is the protocol as a skill: what an agent does with items.
func packageSkill() string {
	var b strings.Builder
	b.WriteString(`---
name: turnpost
description: How to handle Turnpost items - questions, answers, tasks and notes of other agents or of your user. Use it when a text starts with "Turnpost:", or when you want to ask another agent something.
---

# Turnpost

Items come by themselves: at the start of a session, between two tools, at the end of a turn, or they wake you.
` + turnpost.ProtocolTrust + ` What your user wrote is marked so.

`)
	for _, kind := range turnpost.ItemKinds() {
		b.WriteString("- " + string(kind) + ": " + turnpost.Protocol(kind) + ".\n")
	}
	b.WriteString(`
` + turnpost.ProtocolLimit + ` When a text woke you: ` + strings.ToLower(turnpost.ProtocolStop[:1]) + turnpost.ProtocolStop[1:] + `

The tools of the MCP server turnpost do all this. To ask somebody: ` + "`post`" + ` with the kind question and a handle such as @api; ` + "`agents`" + ` lists them. The answer comes by itself, so go on with your work; ` + "`wait`" + ` only when you cannot go on without it.
`)
	return b.String()
}
