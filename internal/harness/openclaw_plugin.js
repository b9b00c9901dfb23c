
// The plugin for OpenClaw. It says what happens in the words of OpenClaw's own
// hooks; what is made of them is decided by the hook client.
const turnpost = makeTurnpost(turnpostSetup.hook)
const turnpostWithin = 1000 // ms for which an answer is waited for; OpenClaw's own limit is 15 s

const tell = (name, event, ctx, more, wait) =>
  turnpost.tell(
    {
      hook_event_name: name,
      session_id: ctx?.sessionId ?? event?.sessionId,
      session_key: ctx?.sessionKey ?? event?.sessionKey,
      cwd: ctx?.workspaceDir ?? event?.cwd,
      trigger: ctx?.trigger,
      ...more,
    },
    wait,
  )

const start = (text) => (typeof text === "string" ? text.slice(0, 500) : undefined)

export default {
  id: "turnpost",
  name: "Turnpost",
  description: "Messages between coding agents, and between you and them",
  register(api) {
    const on = (name, hook) =>
      api.on(name, async (event, ctx) => {
        try {
          return await hook(event, ctx)
        } catch {}
      })

    on("before_prompt_build", async (event, ctx) => {
      const answer = await tell("before_prompt_build", event, ctx, {}, turnpostWithin)
      if (typeof answer?.context === "string") return { prependContext: answer.context }
    })
    on("before_agent_finalize", async (event, ctx) => {
      const last = start(event?.lastAssistantMessage)
      const more = { stop_hook_active: event?.stopHookActive === true, last_assistant_message: last }
      const answer = await tell("before_agent_finalize", event, ctx, more, turnpostWithin)
      if (typeof answer?.continue === "string") return { action: "revise", reason: answer.continue }
    })

    // Nobody waits for these.
    on("after_tool_call", (event, ctx) => void tell("after_tool_call", event, ctx, { tool_name: event?.toolName }))
    on("agent_end", (event, ctx) => void tell("agent_end", event, ctx, { success: event?.success === true, error: start(event?.error) }))
    on("before_compaction", (event, ctx) => void tell("before_compaction", event, ctx))
    on("after_compaction", (event, ctx) => void tell("after_compaction", event, ctx))
    on("session_end", (event, ctx) => void tell("session_end", event, ctx, { reason: event?.reason }))
  },
}
