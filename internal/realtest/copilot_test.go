//go:build unix

package realtest

import "testing"

func TestCopilot(t *testing.T) { testProgram(t, Copilot{}) }
