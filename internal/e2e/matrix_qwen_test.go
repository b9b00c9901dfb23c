//go:build unix

package e2e

import (
	"path/filepath"
	"strings"

	"turnpost/internal/realtest"
)

func qwenRow() row {
	return row{
		harness: "qwen",
		program: realtest.Qwen{},
		settings: func(home *realtest.Home) {
			home.Write(filepath.Join(".qwen", "settings.json"), []byte(qwenSettings))
		},
		rewrites: true,
		call:     qwenCall,
	}
}

// qwenCall calls a tool of a server as Qwen has it: they are listed with their
// names, and called through another.
func qwenCall(r realtest.Request, name string, input any) realtest.Step {
	name = "mcp__turnpost__" + name
	if !strings.Contains(r.Text(), `"`+name+`"`) {
		return realtest.Say("no tool is called " + name)
	}
	return realtest.Call("tool_call", object{"name": name, "arguments": input})
}

// qwenSettings is what the person has before Turnpost comes.
const qwenSettings = `{ "$version":  4,
    // quiet, café
    "security": {"auth": {"selectedType": "openai"}}, "model": {"name": "fake-model"},
    "general": {"enableAutoUpdate": false},  "privacy": {"usageStatisticsEnabled": false},
    "ui": {"autoModeAcknowledged": true, "enableFollowupSuggestions": false, "hideTips": true, "hideBanner": true},
    "memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false, "enableAutoSkill": false},
    "tools": {"useRipgrep": false},
    "hooks": { "Stop": [
        {"hooks": [ {"name": "mine", "type": "command", "command": "true <&1", "timeout": 5} ]} ]
    } }
`
