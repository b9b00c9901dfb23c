package harness

import (
	"slices"
	"testing"
)

// What setup warns of is one of the limits, word for word.
func TestCautionIsALimit(t *testing.T) {
	for _, h := range All() {
		if p := h.Profile(); p.Caution != "" && !slices.Contains(p.Limits, p.Caution) {
			t.Errorf("%s: %q is not among its limits", p.Title, p.Caution)
		}
	}
}
