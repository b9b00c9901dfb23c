//go:build unix

package realtest

import "testing"

func TestGemini(t *testing.T) { testProgram(t, Gemini{}) }
