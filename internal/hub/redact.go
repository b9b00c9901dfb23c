package hub

import "regexp"

// redactor takes secrets out of text before it is stored.
type redactor struct{ patterns []*regexp.Regexp }

const redacted = "[redacted]"

// newRedactor knows the formats of common credentials. The groups, where
// there are any, are kept: they stand before and after the value.
func newRedactor() *redactor {
	var r redactor
	for _, p := range []string{
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
		`\bsk-ant-[A-Za-z0-9_-]{16,}`,
		`\bsk-(?:proj-|live-|test-|or-v1-)?[A-Za-z0-9_-]{20,}`,
		`\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`,
		`\bwhsec_[A-Za-z0-9+/=]{16,}`,
		`\bgh[pousr]_[A-Za-z0-9]{20,}`,
		`\bgithub_pat_[A-Za-z0-9_]{20,}`,
		`\bglpat-[A-Za-z0-9_-]{16,}`,
		`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
		`https://hooks\.slack\.com/services/[A-Za-z0-9/]+`,
		`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`,
		`\bAIza[A-Za-z0-9_-]{30,}`,
		`\bya29\.[A-Za-z0-9_-]{20,}`,
		`\bGOCSPX-[A-Za-z0-9_-]{20,}`,
		`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
		`\bnpm_[A-Za-z0-9]{30,}`,
		`\bpypi-[A-Za-z0-9_-]{30,}`,
		`\bdop_v1_[a-f0-9]{40,}`,
		`\bhf_[A-Za-z0-9]{30,}`,
		`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`,
		`\bkey-[a-f0-9]{32}\b`,
		`\bSK[a-f0-9]{32}\b`,
		`\bAGE-SECRET-KEY-1[A-Z0-9]{40,}`,
		`\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`,
		`\bdapi[a-f0-9]{32}\b`,
		`\bglc_[A-Za-z0-9+/=]{30,}`,
		`\bhvs\.[A-Za-z0-9_-]{20,}`,
		`\blin_api_[A-Za-z0-9]{30,}`,
		`\bsntrys_[A-Za-z0-9+/=_]{30,}`,
		`\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}`,
		`(://[^/\s:@]{1,64}:)[^/\s@]{1,200}(@)`,
		`(?i)(\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+)[A-Za-z0-9+/=._~-]{8,}`,
		`(?i)(\bbearer\s+)[A-Za-z0-9+/=._~-]{20,}`,
		`(?i)(\b[a-z0-9_.-]*(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|private[_-]?key|client[_-]?secret)["']?\s*[:=]\s*["']?)[^\s"'&,;]{6,}`,
	} {
		r.patterns = append(r.patterns, regexp.MustCompile(p))
	}
	return &r
}

// text returns the text without what looks like a secret.
func (r *redactor) text(text string) string {
	if len(text) < 8 {
		return text
	}
	for _, p := range r.patterns {
		text = p.ReplaceAllString(text, "${1}"+redacted+"${2}")
	}
	return text
}
