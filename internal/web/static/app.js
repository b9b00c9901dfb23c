// What the page does in the browser: keys, the filter, times that stay true,
// threads that load when a row opens, copying, and saying when the hub is gone.
// Everything that it sets on an element is a data-ui- attribute, which the live
// regions leave alone. Without this file the page can still be read.
(() => {
	"use strict";

	const $ = (selector, root = document) => root.querySelector(selector);
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];
	const typing = (el) => el.matches?.("input:not([type=radio], [type=checkbox], [type=hidden]), textarea, select");
	const html = document.documentElement;
	html.dataset.uiJs = "";

	// --- times -----------------------------------------------------------------

	let skew = 0; // of the hub's clock against ours, ms

	// The same steps as ago in text.go.
	function ago(ms) {
		const s = Math.max(0, ms / 1000);
		if (s < 10) return "now";
		if (s < 60) return Math.floor(s / 10) * 10 + "s";
		if (s < 3600) return Math.floor(s / 60) + "m";
		if (s < 48 * 3600) return Math.floor(s / 3600) + "h";
		return Math.floor(s / 86400) + "d";
	}

	const two = (n) => String(n).padStart(2, "0");

	// The same forms as clock in show.go, in the reader's own zone.
	function clock(t, now) {
		const time = two(t.getHours()) + ":" + two(t.getMinutes());
		if (Math.abs(now - t) < 20 * 3600e3) return time;
		return t.getFullYear() + "-" + two(t.getMonth() + 1) + "-" + two(t.getDate()) + " " + time;
	}

	function say(el, text) {
		if (el.textContent !== text) el.textContent = text;
	}

	function tick() {
		const now = Date.now() + skew;
		for (const el of all("time[data-ago]")) say(el, ago(now - Date.parse(el.dateTime)));
		for (const el of all("time[data-clock]")) say(el, clock(new Date(el.dateTime), now));
	}

	// --- the state of the page ---------------------------------------------------

	function refresh() {
		const top = $("#top");
		const now = Date.parse(top?.dataset.now);
		if (!isNaN(now)) skew = now - Date.now();
		const alerts = Number(top?.dataset.alerts || 0);
		document.title = (alerts ? "(" + alerts + ") " : "") + "Turnpost";
		tick();
		filter();
	}

	let quiet; // timer that takes the line away again

	function tell(text, mood) {
		const said = $("#said");
		said.textContent = text;
		said.dataset.mood = mood;
		clearTimeout(quiet);
		quiet = setTimeout(() => { said.textContent = ""; }, 8000);
	}

	document.addEventListener("turnpost:said", (e) => tell(e.detail.text, e.detail.mood));

	// --- the stream --------------------------------------------------------------

	const live = $("#live");
	let heard = Date.now();

	// The hub renders the head when it is back, so this only has to say "gone".
	function gone(status) {
		const hub = $("#hub");
		const signedOut = status === 401 || status === 403;
		if (!hub || (hub.dataset.hub === "gone" && !signedOut)) return;
		hub.dataset.hub = "gone";
		$(".text", hub).textContent = signedOut
			? "signed out: run turnpost open"
			: "hub is gone since " + clock(new Date(heard), Date.now());
	}

	let retry;

	function restart() {
		clearTimeout(retry);
		retry = setTimeout(() => htmx.process(live, true), 1000);
	}

	document.addEventListener("htmx:sse:error", (e) => gone(e.detail.status));
	document.addEventListener("htmx:sse:after:message", () => {
		heard = Date.now();
		refresh();
		reload();
		follow();
	});

	// A stream that never began is not tried again by the extension.
	document.addEventListener("htmx:after:request", (e) => {
		const { sourceElement, response } = e.detail.ctx;
		if (sourceElement !== live) return;
		gone(response.status);
		restart();
	});
	document.addEventListener("htmx:error", (e) => {
		const source = e.detail.ctx?.sourceElement;
		if (source && source === live) {
			gone();
			restart();
		} else if (source?.matches("form, button")) {
			tell("The hub did not answer. Sending again is safe: it will not be doubled.", "bad");
		}
	});

	// Only the page's own HTML is put into the page; a refusal by the guard in
	// front of it is told instead.
	document.addEventListener("htmx:before:swap", (e) => {
		const response = e.detail.ctx?.response;
		const type = response?.headers.get("Content-Type") || "";
		if (!response || type.startsWith("text/html") || type.startsWith("text/event-stream")) return;
		e.preventDefault();
		tell(response.status === 401 || response.status === 403
			? "You are signed out. Run turnpost open in a terminal."
			: "The hub refused that: HTTP " + response.status + ".", "bad");
	});
	document.addEventListener("htmx:after:swap", (e) => {
		if (e.detail.ctx?.sourceElement === live) return;
		refresh();
		follow();
	});

	// --- threads -----------------------------------------------------------------

	// A pane that is read again keeps the key of its form, and with it the form
	// and what was typed into it.
	function load(details) {
		const pane = $(".pane", details);
		const key = $("[name=key]", pane)?.value;
		const url = details.dataset.load + (key ? "?key=" + encodeURIComponent(key) : "");
		htmx.ajax("GET", url, { source: pane, target: pane, swap: "innerMorph" });
	}

	document.addEventListener("toggle", (e) => {
		if (e.target.open && e.target.dataset.load) load(e.target);
		if (e.target === compose && compose.open && !compose.contains(document.activeElement?.closest("form"))) aim();
	}, true);

	let soon;

	function reload() {
		clearTimeout(soon);
		soon = setTimeout(() => {
			for (const details of all("details[data-load][open]")) load(details);
		}, 250);
	}

	// --- filter --------------------------------------------------------------------

	const needle = $("#filter");

	function filter() {
		const words = needle.value.toLowerCase().split(/\s+/).filter(Boolean);
		for (const row of all(".rows > li")) {
			const text = words.length ? row.textContent.toLowerCase() : "";
			row.toggleAttribute("data-ui-hidden", !words.every((w) => text.includes(w)));
		}
		for (const fold of all(".fold")) {
			fold.toggleAttribute("data-ui-hidden", !$(".rows > li:not([data-ui-hidden])", fold));
		}
	}

	needle.addEventListener("input", filter);

	// --- rows ------------------------------------------------------------------------

	let at = -1; // where the reader is, for when its row goes away

	const rows = () => all("[data-row]").filter((el) => el.checkVisibility());
	const current = () => document.activeElement?.closest("main [data-row], main .rows > li > details, main .rows > li");

	function rowOf(el) {
		return el?.matches("[data-row]") ? el : $("[data-row]", el || document.createElement("i"));
	}

	function move(step) {
		const list = rows();
		if (!list.length) return;
		const here = list.indexOf(rowOf(current()));
		let to;
		if (step === Infinity) to = list.length - 1;
		else if (step === -Infinity) to = 0;
		else if (here >= 0) to = here + step;
		else to = at < 0 ? (step > 0 ? 0 : list.length - 1) : at - (step < 0 ? 1 : 0);
		to = Math.max(0, Math.min(list.length - 1, to));
		at = to;
		list[to].focus({ preventScroll: true });
		list[to].scrollIntoView({ block: "nearest" });
	}

	let leaving = false; // the row in focus was just dealt with

	// When it is gone, the next one takes its place.
	function follow() {
		if (!leaving || document.activeElement !== document.body) return;
		leaving = false;
		const list = rows();
		list[Math.min(at, list.length - 1)]?.focus({ preventScroll: true });
	}

	document.addEventListener("focusin", (e) => {
		const row = rowOf(e.target.closest?.("main [data-row]"));
		if (row) at = rows().indexOf(row);
	});

	// --- writing -----------------------------------------------------------------------

	const compose = $("#compose");
	let before = null; // what had the focus

	function write(to) {
		if (!compose) return;
		if (!compose.contains(document.activeElement)) before = document.activeElement;
		if (to) $("[name=to]", compose).value = to;
		compose.open = true;
		aim();
	}

	function aim() {
		const to = $("[name=to]", compose);
		(to.value ? $("[name=text]", compose) : to).focus();
	}

	function leave() {
		compose.open = false;
		if (before?.isConnected) before.focus();
	}

	// A datalist completes one value; this lets it complete the last of several.
	document.addEventListener("input", (e) => {
		if (e.target.name !== "to") return;
		const head = e.target.value.replace(/[^\s,;]*$/, "");
		for (const option of all("#addresses option")) {
			option.value = head + option.dataset.name;
		}
	});

	document.addEventListener("click", (e) => {
		const writer = e.target.closest("[data-write]");
		if (writer) write(writer.dataset.write);
		if (e.target.closest("[data-close]")) leave();
		const copier = e.target.closest("[data-copy]");
		if (copier) copy(copier);
	});

	async function copy(button) {
		const text = $("code", button.parentElement).textContent;
		try {
			await navigator.clipboard.writeText(text);
			button.textContent = "Copied";
		} catch {
			getSelection().selectAllChildren($("code", button.parentElement));
			button.textContent = "Selected";
		}
		setTimeout(() => { button.textContent = "Copy"; }, 1500);
	}

	// --- keys ----------------------------------------------------------------------------

	function reply() {
		const session = current()?.closest(".session");
		if (session) return write(session.dataset.handle);
		const run = current()?.closest("li.run");
		if (run) return ($(".asking a", run) || $(".goal", run)).click();
		const asked = $("#asks:not([hidden]) textarea");
		if (asked) return asked.focus();
		const details = current()?.closest(".item")?.querySelector("details") || $("#pane");
		if (!details) return;
		details.open = true;
		const box = () => $("textarea", details);
		if (box()) return box().focus();
		const seen = new MutationObserver(() => {
			if (!box()) return;
			seen.disconnect();
			box().focus();
		});
		seen.observe(details, { childList: true, subtree: true });
	}

	function done() {
		const quick = current()?.closest("li")?.querySelector(".quick button");
		leaving = Boolean(quick);
		if (quick) quick.click();
		else tell("This row wants an answer: r replies, Enter shows it.", "bad");
	}

	function stepBack() {
		const el = document.activeElement;
		if (compose?.open) return leave();
		if (el === needle) {
			needle.value = "";
			filter();
			return el.blur();
		}
		const details = el?.closest("main details[open]");
		if (details) {
			details.open = false;
			$("summary", details).focus();
		} else if ($("#said").textContent) {
			$("#said").textContent = "";
		} else {
			el?.blur();
		}
	}

	const keys = {
		j: () => move(1),
		k: () => move(-1),
		g: () => move(-Infinity),
		G: () => move(Infinity),
		c: () => write(current()?.closest(".session, .run")?.dataset.handle),
		r: reply,
		e: done,
		"/": () => { needle.focus(); needle.select(); },
		"?": () => $("#keys").togglePopover(),
	};

	document.addEventListener("keydown", (e) => {
		if (e.isComposing || e.altKey) return;
		if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && e.target.form) {
			e.preventDefault();
			e.target.form.requestSubmit();
			return;
		}
		if (e.ctrlKey || e.metaKey) return;
		if (e.key === "Escape") {
			if (!$("#keys").matches(":popover-open")) stepBack();
			return;
		}
		if (typing(e.target)) {
			if (e.target === needle && e.key === "Enter") {
				needle.blur();
				move(-Infinity);
			}
			return;
		}
		if (e.key === "Enter" && e.target.matches("div[data-row]")) return ($(".goal", e.target) || $("a", e.target))?.click();
		const act = Object.hasOwn(keys, e.key) && keys[e.key];
		if (!act) return;
		e.preventDefault();
		act();
	});

	// --- start -----------------------------------------------------------------------------

	refresh();
	setInterval(tick, 1000);
})();
