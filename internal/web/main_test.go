package web

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"turnpost"
)

var (
	serveAddr = flag.String("serve", "", "serve the page with sample data on this address instead of testing")
	shotsDir  = flag.String("shots", "", "directory for the screenshots; default: one that goes away")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *serveAddr != "" {
		fmt.Println("http://" + *serveAddr)
		if err := http.ListenAndServe(*serveAddr, guarded(samplePage(sample(time.Now()), sampleSetup(time.Now())))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func samplePage(h *fakeHub, s Integrations) http.Handler {
	return New(Config{
		Hub: h, Integrations: s, Version: "0.1.0",
		Resume: func(s turnpost.Session) string {
			if s.Harness != "claude-code" {
				return ""
			}
			return "cd " + s.Cwd + " && claude --resume " + s.Native
		},
	})
}
