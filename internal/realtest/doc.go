// Package realtest runs real harness programs in tests: pinned programs
// (scripts/install-test-tools.sh puts them in a cache), a temporary HOME, and a
// scripted model on loopback in place of the vendors' APIs. No account, no
// network, no first-run dialogs; nothing is left behind, neither files nor
// processes. Only tests import it. It knows nothing of Turnpost.
//
// A case reads like a story:
//
//	func TestUnreadQuestionContinuesTurn(t *testing.T) {
//		home := realtest.NewHome(t, 1, realtest.Claude{}) // one client at a time
//		home.Write(".claude/settings.json", settings)     // the hooks
//		api := realtest.NewAPI(t,
//			realtest.Say("done"),
//			realtest.Think(func(r realtest.Request) realtest.Step {
//				return realtest.Call("mcp__turnpost__reply", reply{ID: questionIn(r.Fresh())})
//			}),
//			realtest.Say("answered"),
//		)
//		tui := realtest.Client{Program: realtest.Claude{}, Home: home, API: api}.TUI(t)
//
//		tui.Type("rename the flag")                 // a prompt, or a /command
//		asked := api.Wait(1, realtest.Fresh("q-1")) // the request that brings it
//		tui.WaitScreen("answered")
//		tui.WaitIdle()
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
// A client takes 200 to 300 MB and most of a core. NewHome waits until the
// machine has room: at most two clients live at once in a test process, so tests
// may well be parallel.
//
// # The model
//
// One API speaks all dialects (dialect.go), told apart by the path that is
// called; steps, requests and matches are the same for all. A tool is called by
// the name under which the program offers it (Request.Tools). A tool of an MCP
// server in a namespace of its own is mcp__SERVER__TOOL in both directions.
//
// Requests outside the main loop (titles, summaries, memories) offer no tools.
// They get DefaultReply and are kept apart in Others. Where a program offers
// tools in such requests it tells them by their content (background).
//
// # A program
//
// Each is a type that implements [Program], in a file of its own, with a test
// file beside it that calls testProgram, which holds what the kit promises of
// all. To add one:
//
//  1. Its pin: pins/NAME with package.json (one dependency, the exact version),
//     .npmrc and the lock. scripts/install-test-tools.sh finds it there.
//  2. NAME.go: what Program asks for. Furnish everything that keeps it from
//     asking, reporting, updating; find that out with an empty HOME, by hand, in
//     a terminal. Take the address of the model API from the environment where
//     the program can, else write the one file that holds it in Env.
//  3. Look reads one screen as text, without colours. Start with the line that
//     is typed into (Ready, Input; a hint in an empty line is no input) and with
//     the words that only a running turn shows (Busy). A failing test logs the
//     last screen. Version and place of what it goes by belong in a comment.
//  4. NAME_test.go: func TestNAME(t *testing.T) { testProgram(t, NAME{}) }, and
//     whatever else the kit relies on.
//
// What leaves a process behind need not care: at the end of a test all that has
// the HOME in its environment is killed.
//
// To move a pin, change the version in its package.json and run
// npm install --package-lock-only --ignore-scripts there; the lock keeps
// integrity hashes and no addresses.
//
// # Claude Code, measured with 2.1.332
//
//   - Its watch on a bell file begins some time after the SessionStart hook has
//     answered; a file written before that is not noticed. Have one turn first.
//   - Hook text may come in messages of the user or of the role system; Text and
//     Fresh look at both.
//   - It stays busy until its Stop hooks have ended: WaitScreen for the reply,
//     then WaitIdle.
//   - After an API error it tries again for minutes; set
//     CLAUDE_CODE_MAX_RETRIES=0 in Client.Env.
//
// # Gemini CLI, measured with 0.61.0
//
//   - It shows the hooks that run, for a second even when they are over; that
//     counts as a running turn.
//   - Enter right behind typed text is a line break, as in pasted text.
//   - gemini --version and gemini mcp leave files beside the settings.
//
// # Qwen Code, measured with 0.24.4
//
//   - The context of a session's start is in the system prompt.
//   - Tools of MCP servers are listed by name only, and called through tool_call.
//   - Settings without "$version": 4 are written anew.
package realtest
