package harness

import (
	"strconv"
	"strings"
)

// version is a program's three-part version. The zero value is unknown.
type version [3]int

// parseVersion reads three numbers that sep separates; what follows the third
// is ignored. Anything else is unknown.
func parseVersion(s string, sep string) version {
	var v version
	for i := range v {
		end := 0
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(s[:end])
		if err != nil {
			return version{}
		}
		v[i] = n
		s = s[end:]
		if i == len(v)-1 {
			return v
		}
		if !strings.HasPrefix(s, sep) {
			return version{}
		}
		s = s[len(sep):]
	}
	return v
}

func (v version) known() bool { return v != version{} }

func (v version) before(w version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

// String is "2.1.332", empty when unknown.
func (v version) String() string {
	if !v.known() {
		return ""
	}
	return strconv.Itoa(v[0]) + "." + strconv.Itoa(v[1]) + "." + strconv.Itoa(v[2])
}
