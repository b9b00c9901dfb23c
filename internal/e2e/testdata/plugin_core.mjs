// What all plugins of ours rely on, in Node and in opencode's Bun. core.mjs is
// internal/harness/plugin_core.js; the directory is a temporary one.
import assert from "node:assert/strict"
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeTurnpost } from "./core.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const path = (name) => join(here, name)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const until = async (what, done) => {
  for (const end = Date.now() + 20_000; !done(); await sleep(10)) assert.ok(Date.now() < end, what)
}

// The hook client: it writes down what it is told, and does what do says.
const program = (name) => {
  const text = `#!/bin/sh
read -r line
printf '%s\\n' "$line" >>'${path("told")}'
case "$line" in
*'"do":"hang"'*) exec sleep 60 ;;
*'"do":"deaf"'*) exec 0<&-; exec sleep 60 ;;
*'"do":"fail"'*) echo '{"context":"no"}'; exit 3 ;;
*'"do":"flood"'*) exec cat /dev/zero ;;
*'"do":"list"'*) echo '[1]' ;;
*'"do":"null"'*) echo 'null' ;;
*'"do":"half"'*) echo '{"context":' ;;
*'"do":"silence"'*) ;;
*) echo '{"context":"\\u00e9 ok","watch":[]}' ;;
esac
`
  writeFileSync(path(name), text)
  chmodSync(path(name), 0o755)
  return path(name)
}
const told = () => readFileSync(path("told"), "utf8").trim().split("\n").map((line) => JSON.parse(line))

// took returns how long a promise takes, in ms, and what it resolves to.
const took = async (promise) => {
  const start = performance.now()
  const value = await promise
  return [performance.now() - start, value]
}

// Answers, and what is none.
{
  const turnpost = makeTurnpost([program("hook"), "a word"])
  assert.deepEqual(await turnpost.tell({ do: "answer" }), { context: "é ok", watch: [] })
  for (const no of ["silence", "fail", "list", "null", "half", "flood"]) {
    assert.equal(await turnpost.tell({ do: no }), null, no)
  }
  const circle = {}
  circle.circle = circle
  assert.equal(await turnpost.tell(circle), null) // cannot be written down
  assert.deepEqual(await turnpost.tell({ text: "x".repeat(1 << 20) }), { context: "é ok", watch: [] })
}

// Events go out in their order, though nobody waits; each call has its bound.
{
  rmSync(path("told"))
  const turnpost = makeTurnpost([path("hook")])
  turnpost.tell({ n: 1 })
  const hung = took(turnpost.tell({ n: 2, do: "hang" }))
  const waited = took(turnpost.tell({ n: 3, do: "answer" }, 300))
  turnpost.tell({ n: 4 })
  const [waitedFor, late] = await waited
  assert.ok(waitedFor >= 290 && waitedFor < 1500, `waited ${waitedFor} ms`)
  assert.equal(late, null)
  const [hungFor, nothing] = await hung
  assert.ok(hungFor >= 1900 && hungFor < 8000, `hung for ${hungFor} ms`)
  assert.equal(nothing, null)
  await turnpost.tell({ n: 5 })
  const order = told().map(({ n, seq, late }) => [n, seq, late ?? false])
  assert.deepEqual(order, [[1, 1, false], [2, 2, false], [3, 3, true], [4, 4, false], [5, 5, false]])

  // One that waits is killed in its own time, so that it confirms nothing later.
  const [own, none] = await took(turnpost.tell({ do: "hang" }, 400))
  assert.ok(own >= 390 && own < 1500, `${own} ms`)
  assert.equal(none, null)
  const [big] = await took(turnpost.tell({ do: "deaf", text: "x".repeat(1 << 22) }, 400))
  assert.ok(big < 1500, `${big} ms for one who does not read`)
}

// A queue that does not move is no memory leak.
{
  const turnpost = makeTurnpost([path("hook")])
  turnpost.tell({ do: "hang" }, 500)
  const answers = []
  for (let n = 0; n < 1000; n++) answers.push(turnpost.tell({ n }))
  const [dropped] = await took(Promise.all(answers.slice(300)))
  assert.ok(dropped < 400, `dropping took ${dropped} ms`)
  assert.equal((await answers[0])?.context, "é ok")
}

// A program that is not there, or cannot run, costs nothing, and is found when
// it is back a minute later.
for (const broken of ["missing", "plain"]) {
  if (broken === "plain") writeFileSync(path(broken), "", { mode: 0o600 })
  const turnpost = makeTurnpost([path(broken)])
  assert.equal(await turnpost.tell({}), null)
  program(broken)
  const [all] = await took(Promise.all(Array.from({ length: 1000 }, () => turnpost.tell({}))))
  assert.ok(all < 500, `${all} ms for 1000 calls without a program`)
  const now = performance.now
  performance.now = () => now.call(performance) + 61_000
  assert.equal((await turnpost.tell({}))?.context, "é ok")
  performance.now = now
}

// Bells: one ring, one call; other files are not heard; a bell that is made
// anew is.
{
  const turnpost = makeTurnpost([path("hook")])
  mkdirSync(path("bells"))
  const [bell, other, wrong] = ["bells/b1", "bells/b2", "bells/b3"].map(path)
  writeFileSync(bell, "")
  let rung = []
  turnpost.watch([bell, 7, null], (file) => rung.push(file))
  turnpost.watch([bell], () => rung.push("twice"))
  turnpost.watch(undefined, () => {})
  turnpost.watch("nonsense", () => {})
  turnpost.watch([wrong], async () => {
    rung.push("thrown")
    throw new Error("in a ring")
  })
  const heard = async (...want) => {
    await until(`heard ${rung}, want ${want}`, () => rung.length >= want.length)
    await sleep(200)
    assert.deepEqual(rung, want)
    rung = []
  }
  writeFileSync(other, "x")
  writeFileSync(bell, "1")
  writeFileSync(bell, "11")
  await heard(bell)
  writeFileSync(bell, "2")
  await heard(bell)
  rmSync(bell)
  await sleep(200)
  rung = [] // its going away may be heard
  writeFileSync(bell, "3")
  await heard(bell)
  writeFileSync(wrong, "1")
  await heard("thrown")
  turnpost.close()
  turnpost.watch([bell], () => rung.push("closed"))
  writeFileSync(bell, "4")
  await sleep(300)
  assert.deepEqual(rung, [])
  assert.equal((await turnpost.tell({}))?.context, "é ok")
}

// Where the system tells nothing of a directory, a look at the file does.
{
  const turnpost = makeTurnpost([path("hook")])
  let rung = 0
  turnpost.watch([path("later/b1")], () => rung++)
  mkdirSync(path("later"))
  writeFileSync(path("later/b1"), "1")
  await until("a bell in a directory that was made later", () => rung === 1)
}

// What is open here keeps nothing alive: the program ends.
{
  writeFileSync(path("bells/b9"), "")
  makeTurnpost([path("hook")]).watch([path("bells/b9")], () => {})
  console.log("done")
}
