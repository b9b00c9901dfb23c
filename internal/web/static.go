package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
)

//go:embed static/app.css static/runs.css static/app.js static/htmx.min.js static/hx-sse.min.js static/icon.svg
var files embed.FS

// asset is one static file as browsers get it.
type asset struct {
	name string
	kind string // content type
	text []byte
	hash string // of text
}

// url carries the content's hash, so that a browser keeps the file for ever and
// still sees every new version.
func (a asset) url() string { return "/static/" + a.name + "?v=" + a.hash }

// assets are the static files of the page.
type assets struct{ script, sheet, icon asset }

// loadAssets puts the files together. The scripts are one file: htmx starts as
// soon as it may, and an extension that arrives after that would miss the
// elements that are its own.
func loadAssets() assets {
	return assets{
		script: join("page.js", "text/javascript; charset=utf-8", "htmx.min.js", "hx-sse.min.js", "app.js"),
		sheet:  join("page.css", "text/css; charset=utf-8", "app.css", "runs.css"),
		icon:   join("icon.svg", "image/svg+xml", "icon.svg"),
	}
}

func join(name, kind string, parts ...string) asset {
	var text bytes.Buffer
	for _, part := range parts {
		content, err := files.ReadFile("static/" + part)
		if err != nil {
			panic(fmt.Sprintf("%s is not embedded", part)) // a mistake in this file; every test sees it
		}
		text.Write(content)
		text.WriteByte('\n')
	}
	sum := sha256.Sum256(text.Bytes())
	return asset{name: name, kind: kind, text: text.Bytes(), hash: hex.EncodeToString(sum[:6])}
}

func (s *server) static(w http.ResponseWriter, r *http.Request) {
	for _, a := range []asset{s.assets.script, s.assets.sheet, s.assets.icon} {
		if a.name != r.PathValue("name") {
			continue
		}
		w.Header().Set("Content-Type", a.kind)
		if r.URL.Query().Get("v") == a.hash {
			w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		} else {
			w.Header().Set("Cache-Control", "no-cache")
		}
		_, _ = w.Write(a.text) // a reader who left needs no error
		return
	}
	http.NotFound(w, r)
}
