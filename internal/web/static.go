package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
)

//go:embed static/app.css static/app.js static/htmx.min.js static/hx-sse.min.js static/icon.svg
var files embed.FS

// assets are the static files by name, each with its parts. The scripts are one
// file: htmx starts as soon as it may, and an extension that arrives after that
// would miss the elements that are its own.
var assets = map[string]struct {
	kind  string
	parts []string
}{
	"page.js":  {"text/javascript; charset=utf-8", []string{"htmx.min.js", "hx-sse.min.js", "app.js"}},
	"page.css": {"text/css; charset=utf-8", []string{"app.css"}},
	"icon.svg": {"image/svg+xml", []string{"icon.svg"}},
}

// content is what a static file holds; nil: there is no such file.
func content(name string) []byte {
	var out bytes.Buffer
	for _, part := range assets[name].parts {
		text, err := files.ReadFile("static/" + part)
		if err != nil {
			return nil
		}
		out.Write(text)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// asset is the address of a static file. It carries the content's hash, so that
// a browser keeps the file for ever and still sees every new version.
func asset(name string) string {
	return "/static/" + name + "?v=" + fingerprint(content(name))
}

func fingerprint(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6])
}

func static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text := content(name)
	if text == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", assets[name].kind)
	if r.URL.Query().Get("v") == fingerprint(text) {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	_, _ = w.Write(text) // a reader who left needs no error
}
