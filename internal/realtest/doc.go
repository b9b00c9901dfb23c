// Package realtest runs the real Claude Code client in tests: the pinned
// program (scripts/install-test-tools.sh puts it in a cache), a temporary HOME,
// and a scripted model on loopback in place of the Messages API. No account, no
// network, no first-run dialogs; nothing is left behind, neither files nor
// processes. Only tests import it. It knows nothing of Turnpost.
//
// A case reads like a story:
//
//	func TestUnreadQuestionContinuesTurn(t *testing.T) {
//		home := realtest.NewHome(t, 1) // one client at a time
//		home.Settings(settings)        // ~/.claude/settings.json: the hooks
//		api := realtest.NewAPI(t,
//			realtest.Say("done"),
//			realtest.Think(func(r realtest.Request) realtest.Step {
//				return realtest.Call("mcp__turnpost__reply", reply{ID: questionIn(r.Fresh())})
//			}),
//			realtest.Say("answered"),
//		)
//		tui := realtest.Client{Home: home, API: api}.TUI(t)
//
//		tui.Type("rename the flag")                 // a prompt, or a /command
//		asked := api.Wait(1, realtest.Fresh("q-1")) // the request that brings it
//		tui.WaitScreen("answered")
//		tui.WaitStatus("idle")
//
//		if n := api.Count(); n != 3 {
//			t.Errorf("%d requests, want 3", n)
//		}
//		tui.Exit()
//	}
//
// Waits return at once when their event happens and fail the test after
// Patience, with the last screen and the model's requests in the log. Nothing
// sleeps: hold an answer with a Gate to look at a running turn, and prove that
// something did not happen by making the next thing happen, then counting.
//
// Things to know about the client, measured with 2.1.332:
//
//   - Its watch on a bell file begins some time after the SessionStart hook has
//     answered; a file written before that is not noticed. Have one turn first.
//   - Hook text may come in messages of the user or of the role system; Text and
//     Fresh look at both.
//   - It stays busy until its Stop hooks have ended: WaitScreen for the reply,
//     then WaitStatus("idle").
//   - After an API error it tries again for minutes; set
//     CLAUDE_CODE_MAX_RETRIES=0 in Client.Env.
//
// A client takes 200 to 300 MB and most of a core. NewHome waits until the
// machine has room: at most two clients live at once in a test process, so tests
// may well be parallel.
//
// To move the pin, change the version in claude/package.json and run
// npm install --package-lock-only --ignore-scripts there; the lock keeps
// integrity hashes and no addresses.
package realtest
