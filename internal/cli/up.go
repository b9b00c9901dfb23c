package cli

import (
	"context"
	"errors"
	"net"

	"github.com/spf13/cobra"

	"turnpost"
	"turnpost/internal/api/client"
	"turnpost/internal/statedir"
)

// defaultListen is fixed, so that settings and bookmarks can name it.
const defaultListen = "127.0.0.1:21584"

// noListen is the address of a hub without a page.
const noListen = "off"

// upOptions is what up was told.
type upOptions struct {
	detach   bool // start another process and leave
	detached bool // be that process
	restart  bool
	json     bool // detach only
	listen   string
}

func upCommand(a *app) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up [--flags]",
		Short: "Start the hub",
		Long: "Start the hub: it holds the mail, knows what every session does, and serves the page on loopback. " +
			"With -d it runs in the background and stays up: a hook or a command that finds it gone starts it again, until `turnpost down`.",
		Example: "turnpost up -d\nturnpost up --listen 127.0.0.1:8123",
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.detach, "detach", "d", false, "run in the background and stay up; fine when it runs already")
	flags.StringVar(&o.listen, "listen", "", "address of the page and of MCP over HTTP, or off (default "+defaultListen+"; TURNPOST_LISTEN)")
	flags.BoolVar(&o.restart, "restart", false, "stop a running hub first, as after an upgrade")
	flags.BoolVar(&o.detached, "detached", false, "be the process in the background")
	_ = flags.MarkHidden("detached") // it exists: defined above
	flags.BoolVar(&o.json, "json", false, "with -d: print JSON, where the hub is")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if o.json && !o.detach {
			return turnpost.Invalidf("json", "needs -d")
		}
		if o.detach {
			return a.upDetached(ctx, o)
		}
		return a.upHere(ctx, o)
	})
}

// upDetached makes sure that a hub runs in the background.
func (a *app) upDetached(ctx context.Context, o upOptions) error {
	dir, err := a.privateState()
	if err != nil {
		return err
	}
	if _, err := a.loadConfig(); err != nil {
		return err
	}
	hub, err := dir.ReadHub()
	running := err == nil && answers(hub)
	if running && o.restart {
		if err := stopHub(ctx, dir, hub); err != nil {
			return err
		}
		running = false
	}
	if !running {
		var args []string
		if o.listen != "" {
			args = append(args, "--listen", o.listen)
		}
		if hub, err = a.startDetached(ctx, dir, a.stableProgram(), args...); err != nil {
			return err
		}
	}
	if o.json {
		return a.json(hub)
	}
	p := a.printer(a.env.Stdout)
	if running {
		p.line("Turnpost is up already: process %d.", hub.Pid)
		a.sayVersion(ctx, p, hub)
	} else {
		p.line("Turnpost is up: process %d, in the background until `turnpost down`.", hub.Pid)
	}
	a.sayNext(ctx, p, hub)
	return nil
}

// sayVersion tells when the running hub is of another build than we are.
func (a *app) sayVersion(ctx context.Context, p *printer, hub statedir.Hub) {
	c := client.New(client.Address{Socket: hub.Socket})
	defer c.Close()
	health, err := c.Health(ctx)
	if err == nil && health.Version != a.env.Version {
		p.line("It is version %s, this program is %s: turnpost up -d --restart", health.Version, a.env.Version)
	}
}

// sayNext prints where the page is and what comes next.
func (a *app) sayNext(ctx context.Context, p *printer, hub statedir.Hub) {
	c := client.New(client.Address{Socket: hub.Socket})
	defer c.Close()
	var t table
	if hub.TCP != "" {
		if login, err := c.Login(ctx); err == nil { // an agent is not given one
			t.row("Page", styled(line(login.URL)))
			t.note("this link works once, within a minute; later: turnpost open")
		} else {
			t.row("Page", "turnpost open")
		}
	}
	if a.setUp() {
		t.row("Next", p.paint(accent, "turnpost status"))
		t.note("shows what your sessions do")
	} else {
		t.row("Next", p.paint(accent, "turnpost setup"))
		t.note("shows what it would change in your agents' settings")
	}
	p.table("  ", t)
}

// listenAddress is where the page will be: the flag, the environment, the
// configuration, what a hub that died had, the fixed port.
func (a *app) listenAddress(o upOptions, c config, dir statedir.Dir) (string, error) {
	field, address := "listen", o.listen
	if address == "" {
		field, address = "TURNPOST_LISTEN", a.env.Getenv("TURNPOST_LISTEN")
	}
	if address == "" {
		field, address = c.path+": listen", c.listen
	}
	if address == "" {
		address = defaultListen
		if died, err := dir.ReadHub(); err == nil {
			if address = died.TCP; address == "" {
				address = noListen
			}
		}
	}
	if address == noListen {
		return "", nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return "", turnpost.Invalidf(field, "%.80q is not host:port, or off", address).WithHint("use 127.0.0.1:PORT")
	}
	return address, nil
}

// listenError names what can be done about an address that is taken or open to
// others.
func listenError(address string, err error) error {
	var coded *turnpost.Error
	if errors.As(err, &coded) && coded.Code == turnpost.Conflict && address != "" {
		return coded.WithHint("stop the program that listens on %s, or: turnpost up --listen 127.0.0.1:PORT", address)
	}
	return err
}
