package harness

// TooOld tells whether an installed version is older than what setup supports,
// and which that is. A version that is not known is not too old.
func TooOld(h Harness, installed string) (minimum string, old bool) {
	minimum = h.Profile().Minimum
	have, need := parseVersion(installed, "."), parseVersion(minimum, ".")
	return minimum, have.known() && need.known() && have.before(need)
}
