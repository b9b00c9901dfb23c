package api

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"turnpost"
)

// maxSocketPath is what the narrower of the systems takes, less the end mark.
const maxSocketPath = 103

// peer is the process at the other end of the socket, as the kernel says.
type peer struct {
	pid int
	uid int
}

// conn is a connection that counts against its listener's cap.
type conn struct {
	stream
	local bool // over the socket; peer is known then
	peer  peer
	leave func()
}

type stream interface {
	net.Conn
	CloseWrite() error // net/http asks for it before it cuts a request off
}

func (c *conn) Close() error {
	c.leave()
	return c.stream.Close()
}

// listener caps the connections. One above the cap is closed at once: a hook
// goes on without an answer rather than wait in a queue.
type listener struct {
	net.Listener
	open   atomic.Int64
	local  bool
	ownUID int
	log    *slog.Logger
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{stream: accepted.(stream), local: l.local}
		if err := l.admit(c); err != nil {
			l.log.Warn("connection refused", "error", err)
			_ = accepted.Close() // it was never used
			continue
		}
		return c, nil
	}
}

func (l *listener) admit(c *conn) error {
	if l.local {
		var err error
		if c.peer, err = peerOf(c.stream.(*net.UnixConn)); err != nil {
			return fmt.Errorf("ask for the peer: %w", err)
		}
		if !mayConnect(c.peer.uid, l.ownUID) {
			return fmt.Errorf("the peer is user %d, process %d", c.peer.uid, c.peer.pid)
		}
	}
	if l.open.Add(1) > maxConns {
		l.open.Add(-1)
		return fmt.Errorf("more than %d connections", maxConns)
	}
	c.leave = sync.OnceFunc(func() { l.open.Add(-1) })
	return nil
}

// mayConnect: the socket is for its own user, and root can do it all anyway.
func mayConnect(peer, own int) bool { return peer == own || peer == 0 }

func listenSocket(path string, log *slog.Logger) (net.Listener, error) {
	if !filepath.IsAbs(path) || len(path) > maxSocketPath {
		return nil, turnpost.Invalidf("socket", "%q is not an absolute path of at most %d bytes", path, maxSocketPath)
	}
	if err := privateDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("close socket to others: %w", err), l.Close())
	}
	return &listener{Listener: l, local: true, ownUID: os.Getuid(), log: log}, nil
}

// privateDir makes the directory of the socket. One that others may enter is
// the user's own business and not changed.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make socket directory: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at socket directory: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return turnpost.Errorf(turnpost.Forbidden, "%s is open to other users", dir).WithHint("chmod 700 %s", dir)
	}
	return checkOwner(dir, info)
}

// removeStale removes what a hub that was killed left, and nothing else.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for an old socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return turnpost.Errorf(turnpost.Conflict, "%s is there, and is not a socket", path).WithHint("move it away")
	}
	const limit = time.Second
	c, err := net.DialTimeout("unix", path, limit)
	if err == nil {
		_ = c.Close() // only to see whether it opens
	}
	if err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
		return turnpost.Errorf(turnpost.Conflict, "another hub listens on %s", path).WithHint("turnpost down stops it")
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove the socket of a dead hub: %w", err)
	}
	return nil
}

func listenTCP(address, token string) (net.Listener, error) {
	if len(token) < tokenLength {
		return nil, turnpost.Errorf(turnpost.Forbidden, "a port needs a token of 256 bits")
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, turnpost.Invalidf("tcp", "%q is not host:port", address)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, turnpost.Invalidf("tcp", "%q can be reached from other machines", address).
			WithHint("use 127.0.0.1:PORT; to reach the hub from elsewhere, put a proxy with TLS in front")
	}
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, turnpost.Errorf(turnpost.Conflict, "another program listens on %s", address).
			WithHint("stop it, or give the hub another port")
	}
	if err != nil {
		return nil, fmt.Errorf("open port: %w", err)
	}
	if bound := l.Addr().(*net.TCPAddr); !bound.IP.IsLoopback() { // a strange localhost
		return nil, errors.Join(turnpost.Invalidf("tcp", "%q can be reached from other machines", address), l.Close())
	}
	return &listener{Listener: l}, nil
}

// newGuard makes the guard of the bound addresses.
func (s *Server) newGuard(cfg Config) (*guard, error) {
	g := &guard{
		origins: map[string]string{},
		token:   sha256.Sum256([]byte(cfg.Token)),
		limits:  newLimiter(ratePerSecond, rateBurst),
		log:     cfg.Logger,
	}
	port := ""
	if s.tcp != nil {
		_, port, _ = net.SplitHostPort(s.TCP())
		for _, host := range []string{s.TCP(), "127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port} {
			g.origins[host] = "http://" + host
		}
	}
	for _, origin := range cfg.Origins {
		u, err := url.Parse(origin)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return nil, turnpost.Invalidf("origins", "%q is not an origin like https://hub.example", origin)
		}
		g.origins[strings.ToLower(u.Host)] = strings.ToLower(origin)
	}
	g.pages = newPages(cfg.Token, port)
	var err error
	g.next, g.policies, err = s.mux(cfg.Mounts)
	return g, err
}
