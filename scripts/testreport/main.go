// Command testreport reads the events of one or more runs of `go test -json`
// and prints what a person wants to see: a line a package, the output of what
// failed, the reason of what was skipped, and at the end "N passed, N failed, N
// skipped". It ends with 1 when anything failed or was skipped, or when nothing
// ran. Lines that are no event pass through.
package main

import (
	"fmt"
	"os"
)

func main() {
	r := newReport(os.Stdout)
	err := r.read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport: error:", err)
	}
	if !r.finish() || err != nil {
		os.Exit(1)
	}
}
