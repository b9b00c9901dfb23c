package harness

// All returns every harness, in the order in which people read them.
func All() []Harness {
	return []Harness{
		claudeCode{},
		codex{},
		gemini{},
		opencode{},
		pi{},
		copilot{},
		qwen{},
		cursor{},
		droid{},
		openclaw{},
		hermes{},
		antigravity{},
		kiro{},
		windsurf{},
		amp{},
	}
}

// Find returns the harness of that name.
func Find(name string) (Harness, bool) {
	for _, h := range All() {
		if h.Name() == name {
			return h, true
		}
	}
	return nil, false
}
