package hubtest

import (
	"slices"
	"sync"
	"time"

	"turnpost"
)

// Bells is a waker that notes its rings.
type Bells struct {
	mu    sync.Mutex
	rings []string

	announced map[string]bool
	forgotten []string
}

// Patience is that of a bell, or of a queue that somebody looks into every 10 s.
func (b *Bells) Patience(method string) time.Duration {
	if method == "command" {
		return 15 * time.Second
	}
	return 2 * time.Second
}

// Knows tells that bells and queues can be rung.
func (b *Bells) Knows(method string) bool { return method == "bell" || method == "command" }

// Says is how people call them.
func (b *Bells) Says(method string) string {
	return map[string]string{"bell": "bell", "command": "queue"}[method]
}

// Announced tells whether the story said that the bell was announced while no
// hub was up.
func (b *Bells) Announced(wake turnpost.Wake) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.announced[wake.Key]
}

// Announce says so.
func (b *Bells) Announce(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.announced = map[string]bool{key: true}
}

// Forget notes that nobody listens to a bell any more.
func (b *Bells) Forget(wake turnpost.Wake) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgotten = append(b.forgotten, wake.Key)
	return nil
}

// Forgotten lists the bells that nobody listens to any more.
func (b *Bells) Forgotten() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.forgotten)
}

// Ring notes the ring.
func (b *Bells) Ring(_ string, wake turnpost.Wake) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rings = append(b.rings, wake.Key)
	return nil
}

// Count tells how often a key was rung.
func (b *Bells) Count(key string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, k := range b.rings {
		if k == key {
			n++
		}
	}
	return n
}

// Machine is a prober whose processes live until they are killed.
type Machine struct {
	mu   sync.Mutex
	dead map[int]bool
	live map[string]turnpost.Live
}

// NewMachine returns a machine on which everything lives.
func NewMachine() *Machine {
	return &Machine{dead: map[int]bool{}, live: map[string]turnpost.Live{}}
}

// Alive tells whether the process was not killed.
func (m *Machine) Alive(p turnpost.Process) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.dead[p.Pid]
}

// Ancestors of pid 1000+n are the process itself and n.
func (m *Machine) Ancestors(pid int) []int {
	if pid > 1000 {
		return []int{pid, pid - 1000}
	}
	return []int{pid}
}

// Live answers what the story wrote into the registry.
func (m *Machine) Live(_, registry string) (turnpost.Live, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	live, ok := m.live[registry]
	return live, ok
}

// Kill ends a process.
func (m *Machine) Kill(pid int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead[pid] = true
}

// Registry writes what a harness would say of its process.
func (m *Machine) Registry(file string, live turnpost.Live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live[file] = live
}

// Desktop is an outlet that notes what it was told.
type Desktop struct {
	mu      sync.Mutex
	notices []turnpost.Notice
}

// Notify notes the notice.
func (d *Desktop) Notify(n turnpost.Notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notices = append(d.notices, n)
}

// Count tells how many notices of a class there were; "" counts all.
func (d *Desktop) Count(class string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, notice := range d.notices {
		if notice.Class == class || class == "" {
			n++
		}
	}
	return n
}

// Installs is what setup wrote, as far as it is still there.
type Installs struct {
	mu      sync.Mutex
	missing []turnpost.Missing
}

// Missing lists what the story took away.
func (i *Installs) Missing() []turnpost.Missing {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.missing)
}

// Lose makes that just these are missing.
func (i *Installs) Lose(missing ...turnpost.Missing) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.missing = missing
}
