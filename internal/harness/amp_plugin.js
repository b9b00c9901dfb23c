
// The plugin for Amp. It only tells what a thread does: every hook of it lets
// things go on as if it were not there.
const turnpost = makeTurnpost(turnpostSetup.hook)

export default function (amp) {
  const tell = (name, event, more) => {
    try {
      void turnpost.tell({ hook_event_name: name, session_id: event?.thread?.id, cwd: process.cwd(), ...more })
    } catch {}
  }
  amp.on("session.start", (event) => tell("session.start", event))
  amp.on("agent.start", (event) => {
    tell("agent.start", event)
    return {}
  })
  amp.on("tool.result", (event) => tell("tool.result", event, { tool_name: event?.tool }))
  amp.on("agent.end", (event) => tell("agent.end", event, { status: event?.status }))
}
