package api

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"sync"
	"time"

	"turnpost"
)

const (
	codeLife = time.Minute         // of a login link
	maxCodes = 100                 // links that nobody has used yet
	pageLife = 30 * 24 * time.Hour // of a signed-in browser
)

// pages signs browsers in: a link with a code that works once becomes a cookie.
// The cookie is a date under a key made from the user's token, so that it
// survives a restart of the hub, and ends when the token file is replaced.
type pages struct {
	cookie string // its name: cookies do not know ports, so the name has ours
	key    []byte

	mu    sync.Mutex
	codes map[[sha256.Size]byte]time.Time // hash of the code → when it ends
}

func newPages(token, port string) *pages {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("turnpost page cookie 1"))
	return &pages{
		cookie: "turnpost-" + port,
		key:    mac.Sum(nil),
		codes:  map[[sha256.Size]byte]time.Time{},
	}
}

// newCode makes a code, to be used once and before until.
func (p *pages) newCode(now time.Time) (code string, until time.Time) {
	code, until = rand.Text()+rand.Text(), now.Add(codeLife) // 256 bits
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.codes) >= maxCodes {
		clear(p.codes) // nobody opens so many pages: old links are asked for again
	}
	p.codes[sha256.Sum256([]byte(code))] = until
	return code, until
}

// useCode spends a code.
func (p *pages) useCode(code string, now time.Time) bool {
	sum := sha256.Sum256([]byte(code))
	p.mu.Lock()
	defer p.mu.Unlock()
	until, ok := p.codes[sum]
	delete(p.codes, sum)
	return ok && now.Before(until)
}

// newCookie signs a browser in.
func (p *pages) newCookie(now time.Time) *http.Cookie {
	var date [8]byte
	binary.BigEndian.PutUint64(date[:], uint64(now.Add(pageLife).Unix())) //nolint:gosec // after 1970
	return &http.Cookie{
		Name:     p.cookie,
		Value:    base64.RawURLEncoding.EncodeToString(append(date[:], p.sign(date[:])...)),
		Path:     "/",
		MaxAge:   int(pageLife / time.Second),
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	}
}

// signedIn tells whether the request carries a cookie of ours. A site on
// another port can add one of the same name: any valid one counts.
func (p *pages) signedIn(r *http.Request, now time.Time) bool {
	for _, cookie := range r.CookiesNamed(p.cookie) {
		value, err := base64.RawURLEncoding.DecodeString(cookie.Value)
		if err != nil || len(value) != 8+sha256.Size {
			continue
		}
		until := time.Unix(int64(binary.BigEndian.Uint64(value[:8])), 0) //nolint:gosec // ours or refused below
		if hmac.Equal(value[8:], p.sign(value[:8])) && now.Before(until) {
			return true
		}
	}
	return false
}

func (p *pages) sign(date []byte) []byte {
	mac := hmac.New(sha256.New, p.key)
	mac.Write(date)
	return mac.Sum(nil)
}

// signIn is GET /login?code=...: the one thing that a browser without a cookie
// can do.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	if !s.guard.pages.useCode(r.URL.Query().Get("code"), now) {
		s.guard.fail(w, r, turnpost.Errorf(turnpost.Unauthorized, "this link was used before, or is older than a minute").
			WithHint("run: turnpost open"))
		return
	}
	http.SetCookie(w, s.guard.pages.newCookie(now))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", "/")
	w.WriteHeader(http.StatusSeeOther)
}
