//go:build unix

package realtest

import "testing"

func TestPi(t *testing.T) { testProgram(t, Pi{}) }

func TestPiOld(t *testing.T) { testProgram(t, Pi{Old: true}) }
