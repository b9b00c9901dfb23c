// The plugin for opencode with a client and a hook client that are played, in
// the order of events that was seen in 1.18.33. plugin.mjs is what setup writes.
import assert from "node:assert/strict"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as plugin from "./plugin.mjs"

process.on("unhandledRejection", (error) => {
  console.log("unhandled:", error)
  process.exit(1)
})

const here = dirname(fileURLToPath(import.meta.url))
const path = (name) => join(here, name)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const until = async (what, done) => {
  for (const end = Date.now() + 20_000; !done(); await sleep(10)) assert.ok(Date.now() < end, what)
}

// The hook client writes down what it is told and prints answers/EVENT.
mkdirSync(path("answers"))
const hook = `#!/bin/sh
read -r line
printf '%s\\n' "$line" >>'${path("told")}'
[ -e '${path("hang")}' ] && exec sleep 60
event=\${line#*:\\"}
cat '${path("answers")}'/"\${event%%\\"*}" 2>/dev/null
exit 0
`
writeFileSync(path("turnpost-hook"), hook)
chmodSync(path("turnpost-hook"), 0o755)
const answers = (event, answer) => {
  if (answer) writeFileSync(path("answers/" + event), JSON.stringify(answer))
  else rmSync(path("answers/" + event))
}
// told waits for the events since the last call: their names, or what pick says.
let read = 0
const lines = () => (existsSync(path("told")) ? readFileSync(path("told"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)) : [])
const told = async (want, pick = (event) => event.hook_event_name) => {
  await until(`told ${JSON.stringify(lines().slice(read))}, want ${JSON.stringify(want)}`, () => lines().length - read >= want.length)
  await sleep(100) // what is too much would follow at once
  const got = lines().slice(read)
  read += got.length
  assert.deepEqual(got.map(pick), want)
  return got
}
const quick = async (ms, promise) => {
  const start = performance.now()
  const value = await promise
  assert.ok(performance.now() - start < ms, `took ${performance.now() - start} ms`)
  return value
}

// opencode as the plugin sees it.
process.execArgv.push("--user-agent=opencode/1.18.33")
const starts = {
  tui: ["bun", "/$bunfs/src/cli/tui/worker.js"],
  serve: ["bun", "/$bunfs/src/index.js", "--print-logs", "serve", "--port", "1"],
  run: ["bun", "/$bunfs/src/index.js", "run", "serve the tea"],
}
class Opencode {
  prompts = []
  toasts = []
  parents = {}
  client = {
    session: {
      promptAsync: async (prompt) => void this.prompts.push(prompt),
      get: async ({ path: { id } }) => ({ data: { id, parentID: this.parents[id] } }),
    },
    tui: { showToast: async (toast) => void this.toasts.push(toast) },
  }
  async start(mode, directory = "/repo") {
    process.argv = starts[mode]
    this.hooks = await plugin.Turnpost({ client: this.client, directory })
    return this
  }
  // What happens is not waited for, as in opencode.
  happens(type, properties) {
    this.hooks.event({ event: { type, properties } })
  }
  created(id, parentID) {
    this.happens("session.created", { sessionID: id, info: { id, parentID, version: "1.18.33" } })
  }
  prompt(id, ...parts) {
    const made = parts.map((part, n) => ({ id: "prt_230b95f6a00" + n + "hGKCcKQ1R5OQJE", sessionID: id, messageID: "msg_1", type: "text", ...part }))
    const message = { id: "msg_1", role: "user", agent: "plan", model: { providerID: "fake", modelID: "fake-1" } }
    return this.hooks["chat.message"]({ sessionID: id, agent: "plan", variant: "high" }, { message, parts: made }).then(() => made)
  }
  answer(id, message, more) {
    this.happens("message.updated", { sessionID: id, info: { id: message, sessionID: id, role: "assistant", time: {}, ...more } })
  }
  text(id, message, text) {
    this.happens("message.part.updated", { sessionID: id, part: { type: "text", sessionID: id, messageID: message, text } })
  }
  idle(id) {
    this.happens("session.status", { sessionID: id, status: { type: "idle" } })
    this.happens("session.idle", { sessionID: id })
  }
  // turn is one that ends well.
  async turn(id, message) {
    await this.prompt(id, { text: "work" })
    this.answer(id, message)
    this.text(id, message, "done")
    this.answer(id, message, { finish: "stop", time: { completed: 1 } })
    this.idle(id)
    await told(["chat.message", "session.idle"])
  }
}

assert.deepEqual(Object.keys(plugin), ["Turnpost"]) // opencode calls every export

// A session in a terminal: its start and its prompts get what there is to say,
// behind what was typed, and the typed text stays here.
{
  answers("session.created", { context: "start line", notice: "the hub is old" })
  answers("chat.message", { context: "a note" })
  const oc = await new Opencode().start("tui")
  oc.created("ses_1")
  const parts = await oc.prompt("ses_1", { text: "SECRET" })
  const [start, prompt] = await told(["session.created", "chat.message"])
  const base = { session_id: "ses_1", cwd: "/repo", pid: process.pid, mode: "tui", version: "1.18.33" }
  assert.deepEqual(start, { hook_event_name: "session.created", ...base, source: "startup", seq: 1 })
  assert.deepEqual(prompt, { hook_event_name: "chat.message", ...base, own: false, seq: 2 })
  assert.ok(!readFileSync(path("told"), "utf8").includes("SECRET"))
  assert.equal(parts.length, 2)
  const { id, ...hidden } = parts[1]
  assert.deepEqual(hidden, { sessionID: "ses_1", messageID: "msg_1", type: "text", text: "start line\n\na note", synthetic: true, metadata: { turnpost: true } })
  assert.match(id, /^prt_[0-9a-f]{26}$/)
  assert.ok(id > parts[0].id)
  assert.equal(oc.toasts[0]?.body.message, "the hub is old")

  answers("chat.message")
  assert.equal((await oc.prompt("ses_1", { text: "again" })).length, 1) // the start is said once
  await told(["chat.message"])
  await oc.prompt("ses_1", { text: "moved here", synthetic: true }) // a note of opencode's own
  await told([])

  // A turn that ended well goes on, under the same agent; the text that comes
  // back as a prompt is known as ours.
  answers("session.idle", { continue: "Turnpost: 1 item" })
  const tokens = { input: 100, output: 20, reasoning: 3, cache: { read: 4000, write: 0 } }
  oc.answer("ses_1", "msg_1b", { finish: "tool-calls", tokens })
  oc.answer("ses_1", "msg_2")
  oc.text("ses_1", "msg_2", "All tests pass. ".repeat(100))
  oc.answer("ses_1", "msg_2", { finish: "stop", tokens: { ...tokens, input: 1 }, time: { completed: 1 } })
  oc.answer("ses_1", "msg_2", { finish: "stop", tokens, time: { completed: 1 } })
  oc.idle("ses_1")
  const [idle] = await told(["session.idle"])
  assert.deepEqual([idle.finish, idle.summary, idle.error, idle.last_assistant_message.length, idle.tokens], ["stop", false, undefined, 500, 8246])
  await until("the turn goes on", () => oc.prompts.length === 1)
  assert.deepEqual(oc.prompts, [{
    path: { id: "ses_1" },
    body: {
      agent: "plan", model: { providerID: "fake", modelID: "fake-1" }, variant: "high",
      parts: [{ type: "text", text: "Turnpost: 1 item", metadata: { turnpost: true } }],
    },
  }])
  answers("session.idle")
  await oc.prompt("ses_1", oc.prompts[0].body.parts[0])
  const [own] = await told(["chat.message"])
  assert.deepEqual([own.own, own.prompt], [true, "Turnpost: 1 item"])
  await oc.prompt("ses_1", { text: "Turnpost: new mail." })
  const [like] = await told(["chat.message"])
  assert.deepEqual([like.own, like.prompt], [false, "Turnpost: new mail."])
}

// Every way in which a turn ends is told once, as it was.
{
  const oc = await new Opencode().start("tui")
  const outcome = ({ finish, summary, error, error_status }) => [finish, summary, error, error_status]
  const aborted = { name: "MessageAbortedError", data: { message: "Aborted" } }
  const refused = { name: "APIError", data: { message: "nope", statusCode: 401, isRetryable: false } }
  const ends = async (want, ...steps) => {
    await oc.prompt("ses_1", { text: "work" })
    await told(["chat.message"])
    oc.answer("ses_1", "msg_" + ends.count++)
    for (const step of steps) step("msg_" + (ends.count - 1))
    await told(want ? [want] : [], outcome)
  }
  ends.count = 1
  const error = (error) => () => oc.happens("session.error", { sessionID: "ses_1", error })
  const idle = () => oc.idle("ses_1")
  const answer = (more) => (message) => oc.answer("ses_1", message, more)
  const next = (more) => () => oc.answer("ses_1", "msg_next" + ends.count, more)

  await ends(["stop", false, undefined, undefined], answer({ finish: "stop" }), idle)
  await ends([undefined, false, "MessageAbortedError", undefined], error(aborted), idle, answer({ error: aborted }), idle)
  await ends(["stop", false, "MessageAbortedError", undefined], answer({ finish: "stop" }), error(aborted), idle, idle)
  await ends([undefined, false, "APIError", "401"], error(refused), idle, answer({ error: refused }), idle)
  await ends([undefined, false, undefined, undefined], idle) // aborted while it waited to try again
  await ends(["tool-calls", false, undefined, undefined], answer({ finish: "tool-calls" }), idle) // refused
  await ends(["length", false, undefined, undefined], answer({ finish: "length" }), idle)
  await ends([undefined, false, "StructuredOutputError", undefined], answer({ error: { name: "StructuredOutputError" } }), idle)
  // An error that the turn survived: its context was compacted.
  await ends(["stop", false, undefined, undefined], error({ name: "ContextOverflowError" }), next({ finish: "stop" }), idle)
  await ends(["stop", true, undefined, undefined], next({ finish: "stop", summary: true }), idle)

  // No turn ran: a command of the person, a compaction, an error of something else.
  oc.idle("ses_1")
  oc.happens("session.error", { error: refused })
  oc.happens("session.status", { sessionID: "ses_1", status: { type: "busy" } })
  oc.idle("ses_1")
  await oc.hooks["experimental.session.compacting"]({ sessionID: "ses_1" }, { context: [] })
  oc.answer("ses_1", "msg_sum", { finish: "stop", summary: true })
  oc.happens("session.compacted", { sessionID: "ses_1" })
  oc.idle("ses_1")
  await told(["experimental.session.compacting", "session.compacted"])

  await oc.prompt("ses_1", { text: "work" })
  oc.happens("session.status", { sessionID: "ses_1", status: { type: "retry", attempt: 2, message: "Too Many Requests", next: Date.now() + 4500 } })
  const [, retry] = await told(["chat.message", "session.status"])
  assert.deepEqual([retry.attempt, retry.message, retry.wait], [2, "Too Many Requests", 5])
}

// Tools: nothing delays them but an answer that is there at once, and mail joins
// their result.
{
  const oc = await new Opencode().start("tui")
  await oc.turn("ses_1", "msg_1")
  await oc.prompt("ses_1", { text: "work" })
  answers("tool.execute.after", { context: "an answer" })
  const before = () => oc.hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "c" }, { args: {} })
  const after = (result) => oc.hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "c", args: {} }, result).then(() => result)
  await before()
  assert.deepEqual(await after({ title: "t", output: "hi\n", metadata: {} }), { title: "t", output: "hi\n\n\nan answer", metadata: {} })
  assert.deepEqual(await after({ content: [{ type: "text", text: "hi" }] }), { content: [{ type: "text", text: "hi" }, { type: "text", text: "an answer" }] })
  await after(undefined)
  const events = await told(["chat.message", "tool.execute.before", "tool.execute.after", "tool.execute.after", "tool.execute.after"])
  assert.deepEqual(events.map(({ seq }) => seq - events[0].seq), [0, 1, 2, 3, 4])
  assert.ok(events.slice(1).every(({ tool_name }) => tool_name === "bash"))

  const failed = { type: "tool", tool: "bash", sessionID: "ses_1", state: { status: "error", error: "no" } }
  oc.happens("message.part.updated", { sessionID: "ses_1", part: failed })
  oc.happens("session.error", { sessionID: "ses_1", error: { name: "MessageAbortedError" } })
  oc.idle("ses_1")
  oc.happens("message.part.updated", { sessionID: "ses_1", part: failed }) // cleaned up after the end
  await told(["message.part.updated", "session.idle"])

  writeFileSync(path("hang"), "")
  await quick(200, before())
  assert.equal((await quick(1500, after({ output: "hi" }))).output, "hi")
  assert.equal((await quick(1500, oc.prompt("ses_1", { text: "work" }))).length, 1)
  rmSync(path("hang"))
  const late = await told(["tool.execute.before", "tool.execute.after", "chat.message"], (event) => event.hook_event_name)
  assert.deepEqual(late.map((event) => event.late ?? false), [false, true, true])
  answers("tool.execute.after")
}

// A sub-agent's session is nobody's, but what a person is asked for it.
{
  const oc = await new Opencode().start("tui")
  await oc.turn("ses_1", "msg_1")
  oc.created("ses_child", "ses_1")
  oc.created("ses_grandchild", "ses_child")
  oc.parents.ses_old = "ses_1" // from before this process
  for (const id of ["ses_child", "ses_grandchild", "ses_old"]) {
    assert.equal((await oc.prompt(id, { text: "sub work" })).length, 1)
    await oc.hooks["tool.execute.before"]({ tool: "bash", sessionID: id }, {})
    await oc.hooks["tool.execute.after"]({ tool: "bash", sessionID: id }, { output: "" })
    oc.answer(id, "msg_c", { finish: "stop" })
    oc.idle(id)
    oc.happens("session.compacted", { sessionID: id })
    oc.happens("session.deleted", { sessionID: id, info: { id } })
    if (id !== "ses_old") oc.created(id, id === "ses_child" ? "ses_1" : "ses_child")
  }
  await told([])
  oc.happens("permission.asked", { id: "per_1", sessionID: "ses_grandchild", permission: "bash", patterns: ["rm x"], metadata: { command: "rm x" } })
  oc.happens("permission.replied", { sessionID: "ses_grandchild", requestID: "per_1", reply: "reject" })
  oc.happens("question.asked", { id: "que_1", sessionID: "ses_1", questions: [] })
  oc.happens("question.replied", { sessionID: "ses_1", requestID: "que_1", answers: [] })
  oc.happens("question.rejected", { sessionID: "ses_1", requestID: "que_1" })
  const asked = await told(["permission.asked", "permission.replied", "question.asked", "question.replied", "question.rejected"])
  assert.deepEqual(asked.map(({ session_id, tool_name, reply }) => [session_id, tool_name, reply]), [
    ["ses_1", "bash", undefined], ["ses_1", undefined, "reject"],
    ["ses_1", "question", undefined], ["ses_1", "question", undefined], ["ses_1", "question", undefined],
  ])
}

// The bell wakes the session in front of the person, in a server the one whose
// bell it is.
for (const mode of ["tui", "serve"]) {
  const oc = await new Opencode().start(mode)
  const bells = [path(`bells-${mode}/b1`), path(`bells-${mode}/b2`)]
  mkdirSync(dirname(bells[0]))
  for (const bell of bells) writeFileSync(bell, "")
  for (const [n, id] of ["ses_1", "ses_2"].entries()) {
    answers("session.created", { watch: [bells[mode === "serve" ? n : 0]] })
    oc.created(id)
    await told(["session.created"])
  }
  answers("bell", { continue: "Turnpost: wake" })
  writeFileSync(bells[0], "1")
  const [bell] = await told(["bell"])
  const woken = mode === "serve" ? "ses_1" : "ses_2"
  assert.equal(bell.session_id, woken)
  await until("the session wakes", () => oc.prompts.length === 1)
  assert.equal(oc.prompts[0].path.id, woken)

  // What happens in the background of a terminal is not told.
  await oc.hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1" }, {})
  oc.answer("ses_1", "msg_1", { finish: "stop" })
  oc.idle("ses_1")
  await told(mode === "serve" ? ["tool.execute.before"] : [])

  oc.happens("session.deleted", { sessionID: woken, info: { id: woken } })
  const [deleted] = await told(["session.deleted"])
  assert.deepEqual([deleted.session_id, deleted.reason], [woken, "deleted"])
  oc.created("ses_3")
  await told(["session.created"])
  await oc.hooks.dispose()
  const left = mode === "serve" ? ["ses_2", "ses_3"] : ["ses_3"]
  await told(left.map((id) => ["dispose", id]), (event) => [event.hook_event_name, event.session_id])
  writeFileSync(bells[0], "22")
  await sleep(300)
  await told([])
  answers("bell")
  answers("session.created")
}

// Of two copies in one directory the last one works, and again after a reload.
{
  const first = await new Opencode().start("run")
  const second = await new Opencode().start("run")
  const elsewhere = await new Opencode().start("run", "/other")
  for (const oc of [first, second, elsewhere]) await oc.prompt("ses_1", { text: "x" })
  await told([["/repo", "run"], ["/other", "run"]], ({ cwd, mode }) => [cwd, mode])
  await second.hooks.dispose()
  await second.prompt("ses_1", { text: "x" })
  const again = await new Opencode().start("run")
  await again.prompt("ses_1", { text: "x" })
  await told(["dispose", "chat.message"])
}

// The configuration: our tools, unless the person said something about them.
{
  const { hooks } = await new Opencode().start("tui")
  const configured = async (config) => {
    await hooks.config(config)
    return config
  }
  const ours = { type: "local", command: [path("turnpost"), "mcp"], enabled: true }
  assert.deepEqual(await configured({}), {}) // the program is not there
  writeFileSync(path("turnpost"), "")
  const { command, ...rest } = await configured({})
  assert.deepEqual(rest, { mcp: { turnpost: ours }, permission: { "turnpost_*": "allow" } })
  assert.deepEqual(Object.keys(command).sort(), ["turnpost:handoff", "turnpost:watch"])
  const mine = { template: "mine" }
  assert.deepEqual((await configured({ command: { "turnpost:watch": mine, x: mine } })).command, { ...command, "turnpost:watch": mine, x: mine })
  const theirs = { mcp: { x: {}, turnpost: { enabled: false } }, permission: { "*": "ask", "turnpost_*": "deny" } }
  assert.deepEqual(await configured(structuredClone(theirs)), { ...theirs, command })
  assert.deepEqual((await configured({ permission: "ask" })).permission, { "*": "ask", "turnpost_*": "allow" })
}

// Whatever opencode or its client does, nothing of ours throws.
{
  const broken = () => {
    throw new Error("broken")
  }
  const oc = new Opencode()
  oc.client = { session: { promptAsync: broken, get: broken }, tui: { showToast: () => Promise.reject(new Error("no")) } }
  await oc.start("tui")
  answers("session.idle", { continue: "Turnpost: x", notice: "n" })
  await oc.prompt("ses_1", { text: "work" }).catch(() => assert.fail("the prompt is lost"))
  oc.answer("ses_1", "msg_1", { finish: "stop" })
  oc.idle("ses_1")
  await sleep(300)
  for (const type of ["session.created", "session.updated", "session.deleted", "session.status", "session.error", "session.idle",
    "session.compacted", "message.updated", "message.part.updated", "permission.asked", "question.replied", "something.new"]) {
    for (const properties of [undefined, {}, { sessionID: 7 }, { sessionID: "ses_9" }, { part: null }, { info: null }]) oc.happens(type, properties)
  }
  for (const hook of Object.values(oc.hooks)) await hook({}, {})
  for (const id of ["ses_1", "ses_2"]) await oc.hooks["chat.message"]({ sessionID: id }, { message: {}, parts: [null] })
  await sleep(300)
  read = lines().length
}

// Without the program nothing is slow and nothing is said.
{
  rmSync(path("turnpost-hook"))
  const oc = await new Opencode().start("tui")
  oc.created("ses_1")
  for (let n = 0; n < 50; n++) {
    assert.equal((await quick(300, oc.prompt("ses_1", { text: "work" }))).length, 1)
    await quick(300, oc.hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1" }, { output: "" }))
    oc.idle("ses_1")
  }
  await quick(300, oc.hooks.dispose())
  await told([])
}
console.log("done")
