//go:build unix

package realtest

import "testing"

func TestOpencode(t *testing.T) { testProgram(t, Opencode{}) }
