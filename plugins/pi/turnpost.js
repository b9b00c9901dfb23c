// Made by make gen. It looks for Turnpost on PATH and in ~/.local/bin.
//
// Turnpost inside a harness: it tells Turnpost's hook client what happens here
// and does what the answer says. Nothing that goes wrong here reaches the
// harness, and nothing here keeps its process alive.

import { spawn } from "node:child_process"
import { statSync, unwatchFile, watch as watchDirectory, watchFile } from "node:fs"
import { basename, dirname } from "node:path"

// makeTurnpost returns what talks to the hook client, whose command line is
// given: the absolute path of a program and its arguments.
//
//   tell(event, within)  tells one event and resolves to the answer, an object,
//                        or to null: nothing to say, nobody there, too late. It
//                        never rejects. Events go out one by one in the order of
//                        the calls, each with its number as seq. A caller that
//                        waits gets its null after within ms at the latest; an
//                        event that has not gone out by then says late: true, so
//                        that nothing is delivered into an answer nobody reads.
//   watch(files, onRing) calls onRing(file) whenever one of the bell files that
//                        an answer named is rung. Files that are watched already
//                        stay as they are.
//   close()              stops watching for good; telling goes on.
function makeTurnpost(command) {
  const longest = 2000 // ms that one call of the hook client may take; its own limit is 300
  const most = 200 // events that may wait; more are dropped
  const largest = 1 << 20 // characters of an answer
  const pause = 60_000 // ms until a program that is not there is tried again
  const settle = 60 // ms for which a bell must be quiet
  const poll = 5000 // ms between two looks at a bell, should the system not tell of it

  let seq = 0
  let waiting = 0
  let last = Promise.resolve()
  let missing = -Infinity // when the program was not there
  let closed = false
  const bells = new Map() // file -> {rung, timer}
  const directories = new Map() // directory -> watcher

  const now = () => performance.now()

  function tell(event, within = Infinity) {
    const called = now()
    const numbered = { ...event, seq: ++seq }
    if (waiting >= most || called - missing < pause) return Promise.resolve(null)
    waiting++
    const answer = last.then(() => {
      waiting--
      const left = within - (now() - called)
      return left > 0 ? run(numbered, Math.min(longest, left)) : run({ ...numbered, late: true }, longest).then(() => null)
    })
    last = answer
    return within === Infinity ? answer : Promise.race([answer, after(within)])
  }

  // run makes one call. Killed in time, the client has confirmed nothing, so
  // that what its answer carried is offered again.
  function run(event, bound) {
    return new Promise((resolve) => {
      let child, timer
      let text = ""
      const finish = (answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      const fail = (error) => {
        if (error?.code === "ENOENT" || error?.code === "EACCES") missing = now()
        finish(null)
      }
      const stop = () => {
        child.kill("SIGKILL")
        finish(null)
      }
      try {
        if (now() - missing < pause) return finish(null)
        const line = JSON.stringify(event) + "\n"
        child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
        timer = setTimeout(stop, bound)
        timer.unref()
        child.on("error", fail)
        child.on("close", (status) => finish(status === 0 ? parse(text) : null))
        child.stdin.on("error", () => {})
        child.stdout.on("error", () => {})
        child.stdout.setEncoding("utf8")
        child.stdout.on("data", (chunk) => {
          text += chunk
          if (text.length > largest) stop()
        })
        child.stdin.end(line)
      } catch (error) {
        fail(error)
      }
    })
  }

  function parse(text) {
    try {
      const answer = JSON.parse(text)
      return typeof answer === "object" && !Array.isArray(answer) ? answer : null
    } catch {
      return null
    }
  }

  function after(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms, null).unref())
  }

  function watch(files, onRing) {
    if (closed || !Array.isArray(files)) return
    for (const file of files) {
      if (typeof file !== "string" || bells.has(file)) continue
      const bell = { rung: written(file), timer: undefined }
      const ring = async () => {
        const at = written(file)
        if (at === bell.rung || !bells.has(file)) return
        bell.rung = at
        try {
          await onRing(file)
        } catch {}
      }
      bell.touched = () => {
        clearTimeout(bell.timer)
        bell.timer = setTimeout(ring, settle)
        bell.timer.unref()
      }
      bells.set(file, bell)
      listen(dirname(file))
      try {
        watchFile(file, { persistent: false, interval: poll }, bell.touched)
      } catch {}
      bell.touched() // it may have been rung before all this was in place
    }
  }

  // listen watches the directory: a bell that is removed and made again is heard
  // like any other.
  function listen(directory) {
    if (directories.has(directory)) return
    try {
      const watcher = watchDirectory(directory, { persistent: false }, (_, name) => {
        for (const [file, bell] of bells) {
          if (dirname(file) === directory && (!name || basename(file) === String(name))) bell.touched()
        }
      })
      watcher.on("error", () => {})
      directories.set(directory, watcher)
    } catch {} // the slow look at the file remains
  }

  function written(file) {
    try {
      return statSync(file).mtimeMs
    } catch {
      return 0
    }
  }

  function close() {
    closed = true
    for (const [file, bell] of bells) {
      clearTimeout(bell.timer)
      unwatchFile(file, bell.touched)
    }
    bells.clear()
    for (const watcher of directories.values()) watcher.close()
    directories.clear()
  }

  return { tell, watch, close }
}

import * as turnpostFiles from "node:fs"
import * as turnpostSystem from "node:os"

const turnpostSetup = (() => {
  const places = [...(process.env.PATH ?? "").split(":"), turnpostSystem.homedir() + "/.local/bin"]
  const find = (program) => places.map((place) => place + "/" + program).find((path) => turnpostFiles.existsSync(path)) ?? program
  return { hook: [find("turnpost-hook"), "pi"], program: find("turnpost") }
})()

// Pi's part: an extension of 1.6.0, and of 0.73.1 from when it had another name.
// pi.go reads what it sends.

import { existsSync } from "node:fs"

export default async function (pi) {
  const patience = 1500 // ms that Pi waits for an answer
  const pause = 10_000 // ms, longer than any between two tries of a request; before 0.87.0 nothing says which is the last

  const turnpost = makeTurnpost(turnpostSetup.hook)
  const version = await hostVersion()
  const settles = !/^0\.([0-7]?\d|8[0-6])\./.test(version) // agent_before_settle came with 0.87.0
  let open = true // Pi shows the session of this extension
  let start = "" // what the next run tells the model of the session's start
  let source // who wrote the input that starts the next run
  let last = {} // the last message of the model
  let tokens = 0 // that the turn took so far: read, from a cache too, and written
  let tool // that runs
  let failed // timer

  // Of two such files, from setup and from a package, the first one works.
  const works = (globalThis[Symbol.for("turnpost")] ??= new Map()) // session id -> its turnpost
  const ours = (ctx) => {
    const id = ctx.sessionManager.getSessionId()
    if (open && !works.has(id)) works.set(id, turnpost)
    return works.get(id) === turnpost
  }

  // on never lets an error through to Pi, which would show it.
  const on = (name, handle) =>
    pi.on(name, async (event, ctx) => {
      try {
        if (ours(ctx)) return await handle(event, ctx)
      } catch {}
    })

  // tell never rejects.
  async function tell(event, ctx, more, within) {
    try {
      const about = { session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, pid: process.pid, mode: modeOf(ctx), version }
      const answer = await turnpost.tell({ hook_event_name: event, ...about, ...more }, within)
      if (answer?.notice && ctx.hasUI) ctx.ui.notify(answer.notice, "info")
      return answer
    } catch {
      return null
    }
  }

  // spent is what the turn took that ends now.
  function spent() {
    const of = tokens
    tokens = 0
    return of
  }

  function say(text) {
    try {
      if (text && open) pi.sendUserMessage(text, { deliverAs: "followUp" })
    } catch {}
  }

  // Our tools are declared to the model: else it would have to search for them.
  // Where another extension has taken the place of Pi's own MCP, this would be an
  // error on the screen.
  on("session_start", () => {
    const own = pi.getCommands().some((command) => command.name === "mcp" && command.sourceInfo?.source === "builtin")
    if (!own || !existsSync(turnpostSetup.program)) return
    pi.registerMcpServer("turnpost", { command: turnpostSetup.program, args: ["mcp"], exposure: "direct" })
  })

  // Nothing waits for this answer but the first run.
  on("session_start", (event, ctx) => {
    const told = tell("session_start", ctx, { reason: event.reason })
    told.then((answer) => {
      if (!open) return
      start = answer?.context ?? ""
      turnpost.watch(answer?.watch, async () => say((await tell("bell", ctx))?.continue))
    })
  })

  on("session_shutdown", async (event, ctx) => {
    open = false
    works.delete(ctx.sessionManager.getSessionId())
    turnpost.close()
    clearTimeout(failed)
    if (event.reason !== "reload") await tell("session_shutdown", ctx, { reason: event.reason }, patience)
  })

  // Input for a turn that runs: no before_agent_start follows.
  on("input", (event, ctx) => {
    source = event.source
    if (event.streamingBehavior) tell("input", ctx, { source, prompt: own(event.text) })
  })

  on("before_agent_start", async (event, ctx) => {
    spent() // by a turn that was stopped
    const from = event.messageType === "custom" ? "extension" : source
    const answer = await tell("before_agent_start", ctx, { source: from, prompt: own(event.prompt) }, patience)
    const content = [start, answer?.context].filter(Boolean).join("\n\n")
    start = ""
    if (content) return { message: { customType: "turnpost", content, display: false } }
  })

  // The result of a call that another tool makes goes to a script, not to the model.
  on("tool_execution_start", (event, ctx) => {
    if (event.parentToolCallId) return
    tool = event.toolName
    tell("tool_execution_start", ctx, { tool })
  })

  on("tool_result", async (event, ctx) => {
    if (event.parentToolCallId) return
    const answer = await tell("tool_result", ctx, { tool: event.toolName, failed: event.isError === true }, patience)
    if (!answer?.context) return
    const content = [...event.content, { type: "text", text: answer.context }]
    return { content, structuredContent: event.structuredContent } // which is dropped where it is not returned
  })

  on("turn_end", (event, ctx) => {
    last = messageOf(event.message)
    tokens += Math.max(0, Math.round(event.message?.usage?.totalTokens)) || 0
    if (last.outcome === "error") tell("turn_end", ctx, last)
  })

  if (settles) {
    on("agent_before_settle", async (event, ctx) => {
      if (event.continue) return // somebody else keeps it going
      const answer = await tell("agent_before_settle", ctx, { ...last, outcome: event.outcome, tokens: spent() }, patience)
      if (!answer?.continue) return
      const message = { type: "custom_message", customType: "turnpost", content: answer.continue, display: true }
      return { entries: [...event.entries, message], continue: true }
    })
    on("agent_settled", (event, ctx) => {
      if (event.aborted ?? last.outcome === "aborted") tell("agent_settled", ctx, { outcome: "aborted" })
    })
  } else {
    on("agent_start", () => clearTimeout(failed))
    on("agent_end", (event, ctx) => {
      const ended = last
      if (ended.outcome === "error") {
        failed = setTimeout(() => tell("agent_end", ctx, ended), pause)
        failed.unref()
        return
      }
      // After a print run nobody takes a prompt.
      const told = tell("agent_end", ctx, { ...ended, tokens: spent(), late: modeOf(ctx) === "print" })
      told.then(async (answer) => {
        while (answer?.continue && open && !idle(ctx)) await new Promise((resolve) => setTimeout(resolve, 20).unref())
        say(answer?.continue)
      })
    })
  }

  on("session_before_compact", (event, ctx) => {
    tell("session_before_compact", ctx)
  })
  on("session_compact", (event, ctx) => {
    tell("session_compact", ctx)
  })

  // A screen that a person opened themselves asks them nothing.
  on("ui_prompt_start", (event, ctx) => {
    if (event.kind !== "custom") tell("ui_prompt_start", ctx)
  })
  on("ui_prompt_end", (event, ctx) => {
    if (event.kind !== "custom") tell("ui_prompt_end", ctx, { tool })
  })
}

async function hostVersion() {
  for (const name of ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"]) {
    try {
      const { VERSION } = await import(name)
      if (VERSION) return VERSION
    } catch {}
  }
  return ""
}

// modeOf is tui, rpc, json or print. 0.73.1 does not say it.
function modeOf(ctx) {
  if (ctx.mode) return ctx.mode
  if (!ctx.hasUI) return "print"
  return process.stdin.isTTY ? "tui" : "rpc"
}

function idle(ctx) {
  try {
    return ctx.isIdle()
  } catch {
    return true
  }
}

// own is a text of ours, for the receipts in it. What people write stays here.
function own(text) {
  return typeof text === "string" && text.startsWith("Turnpost: ") ? text : undefined
}

function messageOf(message) {
  const outcomes = { stop: "completed", error: "error", aborted: "aborted" }
  const texts = Array.isArray(message?.content) ? message.content.filter((part) => part?.type === "text") : []
  return {
    outcome: outcomes[message?.stopReason] ?? "other",
    error: String(message?.errorMessage ?? "").slice(0, 500),
    last: texts.map((part) => part.text).join("\n").slice(0, 500),
  }
}
