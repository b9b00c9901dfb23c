// Written by turnpost setup; removed by turnpost setup --remove.
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
