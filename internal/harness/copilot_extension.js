
// Copilot's part: an extension of 1.0.102, which is a process of its own whose
// standard output belongs to the program. It hears the bell, and tells what no
// hook does; copilot_decode.go reads that.

import { joinSession } from "@github/copilot-sdk/extension"

const turnpost = makeTurnpost(turnpostSetup.hook)
const session = await joinSession({})

function tell(event, more) {
  return turnpost.tell({ hook_event_name: event, session_id: session.sessionId, ...more })
}

// ring asks for what waits and puts it in as a prompt. One that comes while a
// turn runs waits for its end.
async function ring() {
  try {
    const answer = await tell("bell")
    if (answer?.continue) await session.send({ prompt: answer.continue })
  } catch {}
}

async function join(more) {
  const answer = await tell("extension.join", more)
  turnpost.watch(answer?.watch, ring)
}

session.on((event) => {
  if (event.agentId) return // of a sub-agent
  const data = event.data ?? {}
  if (event.type === "session.error") {
    const message = String(data.message ?? "").slice(0, 500)
    tell(event.type, { error_type: String(data.errorType ?? ""), status: String(data.statusCode ?? ""), message })
  }
  if (event.type === "assistant.idle") {
    if (data.aborted) tell(event.type)
    join() // again: there may have been no hub before
  }
})

await join({ cwd: process.cwd() })
await ring() // what has waited for a session
