//go:build unix

package realtest

import "testing"

func TestQwen(t *testing.T) { testProgram(t, Qwen{}) }
