package client

import (
	"errors"
	"io/fs"
	"net/netip"
	"net/url"
	"strings"

	"turnpost"
	"turnpost/internal/statedir"
)

// Find returns a client of the user's hub: the one that TURNPOST_URL and
// TURNPOST_TOKEN name, else the one that the state directory's hub file names.
// Nothing in a repository can move it. It does not connect; without a hub file
// it returns Unavailable.
func Find(getenv func(string) string) (*Client, error) {
	if address := getenv("TURNPOST_URL"); address != "" {
		if !private(address) {
			return nil, turnpost.Invalidf("TURNPOST_URL", "would send the token in clear to another machine").
				WithHint("use http://127.0.0.1:PORT, or https://HOST")
		}
		return New(Address{URL: strings.TrimSuffix(address, "/"), Token: getenv("TURNPOST_TOKEN")}), nil
	}
	dir, err := statedir.Find(getenv)
	if err != nil {
		return nil, turnpost.Errorf(turnpost.Invalid, "%v", err)
	}
	hub, err := dir.ReadHub()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unreachable()
	}
	if err != nil {
		return nil, turnpost.Errorf(turnpost.Unavailable, "%v", err).WithHint("start the hub again: turnpost up")
	}
	if hub.Protocol != statedir.Protocol {
		return nil, turnpost.Errorf(turnpost.Unavailable, "the hub speaks protocol %d, this program %d", hub.Protocol, statedir.Protocol).
			WithHint("start the hub again with the same version: turnpost down, then turnpost up")
	}
	return New(Address{Socket: hub.Socket}), nil
}

// private tells whether nobody on the way to an address can read the token.
func private(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (ip.IsLoopback() || u.Hostname() == "localhost")
}
