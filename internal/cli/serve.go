package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"turnpost/internal/api"
	"turnpost/internal/hub"
	"turnpost/internal/keep"
	"turnpost/internal/notify"
	"turnpost/internal/probe"
	"turnpost/internal/setup"
	"turnpost/internal/statedir"
	"turnpost/internal/store"
	"turnpost/internal/trust"
	"turnpost/internal/wake"
)

// gcPercent lets more garbage pile up than usual: the heap is small, and most
// of what an MCP call costs is collecting what the last one left.
const gcPercent = 400

// upHere runs the hub in this process until it is told to stop.
func (a *app) upHere(ctx context.Context, o upOptions) (err error) {
	dir, err := a.privateState()
	if err != nil {
		return err
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	if o.restart {
		if running, err := dir.ReadHub(); err == nil && answers(running) {
			if err := stopHub(ctx, dir, running); err != nil {
				return err
			}
		}
	}
	unlock, err := lockState(dir)
	if err != nil {
		return err
	}
	defer unlock()
	address, err := a.listenAddress(o, cfg, dir)
	if err != nil {
		return err
	}
	if a.env.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	level := slog.LevelWarn // a person reads it; what is well is printed
	if o.detached {
		level = slog.LevelInfo
	}
	r := &running{
		app: a, dir: dir, log: slog.New(slog.NewTextHandler(a.env.Stderr, &slog.HandlerOptions{Level: level})),
		file: statedir.Hub{
			Protocol: statedir.Protocol, Pid: os.Getpid(), Socket: a.socketPath(dir), Keep: int64(cfg.fresh.Seconds()),
		},
	}
	if o.detached {
		r.file.Heal = a.stableProgram()
	}
	return r.run(ctx, cfg, address)
}

// running is a hub with everything around it.
type running struct {
	*app
	dir  statedir.Dir
	log  *slog.Logger
	file statedir.Hub
}

// warn reports what goes wrong where nobody waits for an answer.
func (r *running) warn(err error) { r.log.Warn("in the background", "error", err) }

func (r *running) run(ctx context.Context, cfg config, address string) (err error) {
	rows, err := store.Open(ctx, r.dir.Database(), store.OnError(r.warn))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()

	// What runs beside the server ends after it: a last request may need it.
	beside, end := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	defer work.Wait()
	defer end()

	cfg.hub.OnError = r.warn
	cfg.hub.Ritual = keep.OpenRitual(r.dir, trust.Open(r.dir.Trusted())).For
	var h *hub.Hub // rings begin when it is there
	ways := wake.All(r.dir, r.warn, wake.Command(programs{r.app}, r.warn), wake.Inbox(r.dir, r.warn, func() wake.Bells { return h }))
	if cfg.keys {
		ways = append(ways, wake.Keys(r.dir, r.warn))
	}
	h, err = hub.New(ctx, cfg.hub, rows, ways, probe.Machine{}, notify.New(beside, r.env.Getenv),
		installs{setup.New(string(r.dir), r.env.Now).Drift(), r.warn}, r.keeper(cfg.fresh))
	if err != nil {
		return err
	}
	token, err := api.EnsureToken(r.dir.Token())
	if err != nil {
		return err
	}
	server, err := api.Listen(api.Config{
		Backend: h, Socket: r.file.Socket, TCP: address, Token: token,
		Mounts: r.mounts(h), Version: r.env.Version, Protocol: statedir.Protocol, Logger: r.log,
	})
	if err != nil {
		return listenError(address, err)
	}
	work.Go(func() { h.Run(beside) })
	work.Go(func() { drainSpool(beside, r.dir, h, r.warn) })

	r.file.TCP = server.TCP()
	if err := writeHub(r.dir, r.file); err != nil {
		return errors.Join(err, server.Close())
	}
	work.Go(func() { r.ready(ctx) })
	work.Go(func() { r.watchdog(beside) })
	err = server.Serve(ctx)
	r.notifySystemd(systemd.SdNotifyStopping)
	return errors.Join(err, r.leave(ctx, err))
}

// keeper keeps agents' notes, unless keep is off.
func (r *running) keeper(fresh time.Duration) hub.Keeper {
	if fresh == 0 {
		return nil
	}
	notes := keep.Open(r.dir, fresh, time.Now)
	if err := notes.Tidy(); err != nil {
		r.warn(err)
	}
	return notes
}

// ready tells whoever waits that the hub is up.
func (r *running) ready(ctx context.Context) {
	r.notifySystemd(systemd.SdNotifyReady)
	r.log.Info("up", "version", r.env.Version, "pid", r.file.Pid, "socket", r.file.Socket, "tcp", r.file.TCP)
	if r.file.Heal != "" {
		return
	}
	p := r.printer(r.env.Stdout)
	p.line("Turnpost is up: process %d. Ctrl-C stops it.", r.file.Pid)
	r.sayNext(ctx, p, r.file)
}

// leave decides whether clients may start the hub again. One that stays up by
// itself and is ended from outside, as at the end of a login, comes back with
// the next hook; `turnpost down` has taken the hub file away already.
func (r *running) leave(ctx context.Context, failed error) error {
	if r.file.Heal != "" && (ctx.Err() != nil || failed != nil) {
		r.log.Info("ended from outside; the next hook or command starts it again, turnpost down prevents that")
		return nil
	}
	r.log.Info("down")
	return removeHub(r.dir)
}

// watchdog tells systemd that we live, where it asks for that.
func (r *running) watchdog(ctx context.Context) {
	every, err := systemd.SdWatchdogEnabled(false)
	if err != nil || every <= 0 {
		return
	}
	tick := time.NewTicker(every / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.notifySystemd(systemd.SdNotifyWatchdog)
		}
	}
}

func (r *running) notifySystemd(state string) {
	if _, err := systemd.SdNotify(false, state); err != nil {
		r.warn(fmt.Errorf("notify systemd: %w", err))
	}
}
