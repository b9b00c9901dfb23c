package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
)

//go:embed static/app.css static/app.js static/htmx.min.js static/hx-sse.min.js static/icon.svg
var files embed.FS

// asset is the address of a static file. It carries the content's hash, so that
// a browser keeps the file for ever and still sees every new version.
func asset(name string) string {
	return "/static/" + name + "?v=" + fingerprint(name)
}

func fingerprint(name string) string {
	content, err := files.ReadFile("static/" + name)
	if err != nil {
		return "" // no such file: its request will be a 404
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6])
}

func static() http.Handler {
	types := map[string]string{
		".css": "text/css; charset=utf-8",
		".js":  "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		content, err := files.ReadFile("static/" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		if r.URL.Query().Get("v") == fingerprint(name) {
			w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		} else {
			w.Header().Set("Cache-Control", "no-cache")
		}
		_, _ = w.Write(content) // a reader who left needs no error
	})
}
