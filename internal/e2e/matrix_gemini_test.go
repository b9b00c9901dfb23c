//go:build unix

package e2e

import (
	"path/filepath"
	"regexp"

	"turnpost/internal/realtest"
)

// geminiRow: that its keys wake it is shown by TestGeminiIsWokenByKeys.
func geminiRow() row {
	return row{
		harness: "gemini",
		program: realtest.Gemini{},
		settings: func(home *realtest.Home) {
			home.Write(filepath.Join(".gemini", "settings.json"), []byte(geminiSettings))
		},
		// Where its own skills are: in this test, below a directory of ours.
		mentions: []*regexp.Regexp{regexp.MustCompile(`<location>.*?</location>`)},
		rewrites: true,
		cannot:   map[string]string{caseWake: "keys, opt-in"},
	}
}

// geminiSettings is what the person has before Turnpost comes.
const geminiSettings = `{
    "security": {"auth": {"selectedType":  "gemini-api-key"}},  // by key
  /* quiet, café */ "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
    "hooks": { "AfterAgent": [
        {"hooks": [ {"name": "mine", "type": "command", "command": "true <&1", "timeout": 5e3} ]} ]
    },
  "privacy": {"usageStatisticsEnabled": false}   }
`
