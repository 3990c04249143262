/* lab.js - plays: buttons and forms that ask the server, and the page that shows its answers. */
"use strict";
(() => {
const { el, fill, time, count, show } = gqsim, root = document.getElementById("lab");
let base = "", state = null, open = null, answers = 0;
/* Of the built-in cluster; a button is there where its queue is. */
const PRESETS = [
	["8 trials", { queue: "research/research", name: "trial", gpus: 2, duration: "2h", count: 8 }, "8 jobs of research: 2 GPUs, 2h each"],
	["CI job", { queue: "platform/platform", name: "platform-ci", gpus: 2, duration: "15m" }, "platform: 2 GPUs, 15m"],
	["Serving", { queue: "research/research", name: "serving", gpus: 8, duration: "endless" }, "research: a service of 8 GPUs without end"],
	["Ring", { queue: "product/product", name: "ring", pods: 2, gpus: 4, duration: "1h" }, "product: 2 pods of 4 GPUs that need each other, 1h"],
	["Whole node", { queue: "research/research", name: "whole-node", gpus: 8, duration: "1h" }, "research: 8 GPUs of one node, 1h"],
];
const status = el("p", { id: "lab-status", class: "moment", role: "status", "aria-live": "polite" });
const presets = el("div", { class: "controls", role: "group", "aria-label": "Submit now" });
const clock = el("output", { id: "lab-clock", class: "clock" }), list = el("ol", { id: "lab-actions" }), none = el("p", { class: "note" }, "Nothing yet. Submit a job with a button above, then let time run.");
const run = el("button", { type: "button", id: "lab-run", "aria-pressed": "false", onclick: () => ask("run", { speed: state && state.speed > 0 ? 0 : Number(speed.value) }) }, "Run");
const speed = el("select", { id: "lab-speed" }, [[1, "1s"], [60, "1m"], [300, "5m"], [1200, "20m"], [3600, "1h"], [21600, "6h"], [86400, "1d"]].map(([v, t]) => el("option", { value: String(v) }, t + " a second")));
const undo = el("button", { type: "button", id: "lab-undo", onclick: () => ask("undo", {}) }, "Undo");
const save = el("a", { id: "lab-save", download: "play.yaml", href: "#" }, "Save the play as a scenario");
const button = (id, text, action, body) => el("button", { type: "button", id, onclick: () => ask(action, body) }, text);
const field = (label, node) => el("label", {}, label, node);
const input = (name, value, type) => el("input", { name, value, type: type || "text", required: true, min: type === "number" ? "0" : null });
const queues = el("select", { name: "queue" }), classes = el("select", { name: "priority" }), quotas = el("select", { name: "quota" });

function build() {
	speed.selectedIndex = 2;
	fill(root, el("section", { id: "play-lab", "aria-labelledby": "h-lab" }, el("h2", { id: "h-lab" }, "Lab"), el("div", { class: "panel" },
		presets,
		el("div", { class: "controls", role: "group", "aria-label": "Clock" }, run, field("", speed), button("lab-step-1", "1 min on", "step", { by: "1m" }), button("lab-step-10", "10 min on", "step", { by: "10m" }), button("lab-step-60", "1 h on", "step", { by: "1h" }), button("lab-end", "To the end", "end", {}), undo, button("lab-reset", "Reset", "reset", {}), el("span", {}, "Clock: ", clock)),
		status, el("p", {}, save),
		el("details", { id: "lab-submit" }, el("summary", {}, "Submit a job of your own"), el("form", { class: "grid", onsubmit: submit }, field("Queue", queues), field("Name", input("name", "job")), field("Pods", input("pods", "1", "number")), field("GPUs of each pod", input("gpus", "1", "number")), field("Duration", input("duration", "1h")), field("Priority", classes), field("Copies", input("count", "1", "number")), el("button", { class: "main" }, "Submit"))),
		el("details", { id: "lab-quota" }, el("summary", {}, "Change a quota from now on"), el("form", { class: "grid", onsubmit: change }, field("Quota", quotas), field("What", el("select", { name: "field" }, ["nominalQuota", "borrowingLimit", "lendingLimit"].map((f) => el("option", {}, f)))), field("Amount, or none", input("value", "8")), el("button", { class: "main" }, "Change"))),
		el("details", { open: true }, el("summary", {}, "The play so far"), none, list))));
}
function submit(event) {
	event.preventDefault();
	const f = new FormData(event.target);
	ask("job", { queue: f.get("queue"), name: f.get("name"), pods: Number(f.get("pods")), gpus: Number(f.get("gpus")), duration: f.get("duration"), priority: f.get("priority"), count: Number(f.get("count")) });
}
function change(event) {
	event.preventDefault();
	const f = new FormData(event.target), [queue, flavor, resource] = JSON.parse(f.get("quota"));
	ask("quota", { queue, flavor, resource, field: f.get("field"), value: f.get("value") });
}
function options(select, values, texts) {
	const key = JSON.stringify(values), old = select.value;
	if (select.dataset.key === key) return;
	select.dataset.key = key;
	fill(select, values.map((v, i) => el("option", { value: v }, texts ? texts[i] : v)));
	if (values.includes(old)) select.value = old;
}
function render(next) {
	const steady = state !== null && next.speed > 0 && state.play.actions.length === next.play.actions.length;
	state = next;
	clock.textContent = time(state.play.clock);
	run.textContent = state.speed > 0 ? "Pause" : "Run";
	run.setAttribute("aria-pressed", String(state.speed > 0));
	undo.disabled = state.play.actions.length === 0;
	options(queues, state.play.queues);
	options(classes, ["", ...state.play.classes], ["none", ...state.play.classes]);
	const cells = state.data.config.queues.flatMap((q) => q.quotas.map(([f, r]) => [q.name, f, r]));
	options(quotas, cells.map((c) => JSON.stringify(c)), cells.map((c) => c.join(", ")));
	const offered = PRESETS.filter(([, body]) => state.play.queues.includes(body.queue));
	if (offered.length && presets.children.length !== offered.length + 1) fill(presets, el("span", {}, "Submit now:"), offered.map(([text, body, title]) => el("button", { type: "button", class: "main", title, "data-preset": text, onclick: () => ask("job", body) }, text)));
	fill(list, state.play.actions.map((a) => el("li", {}, time(a.at) + ": " + a.text)));
	list.hidden = state.play.actions.length === 0;
	none.hidden = !list.hidden;
	show(state.data, state.data.end);
	if (!steady) status.textContent = "Clock at " + time(state.play.clock) + (state.play.over && state.play.actions.length ? "; nothing more will happen by itself" : "") + ".";
	document.body.dataset.actions = String(state.play.actions.length);
}
async function ask(action, body) {
	try {
		const answer = await fetch(base + action, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
		const value = await answer.json();
		if (answer.ok) render(value); else status.textContent = "Not done: " + value.error;
		if (answer.status === 404) await begin();
	} catch (error) {
		status.textContent = "The lab does not answer: is gqsim lab still running?";
	}
	document.body.dataset.answered = String(++answers);
}
async function begin() {
	const answer = await fetch("api/play", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
	const value = await answer.json();
	if (!answer.ok) { status.textContent = value.error; return; }
	base = "api/play/" + value.play + "/";
	save.href = base + "scenario.yaml";
	if (open) open.close();
	open = new EventSource(base + "events");
	open.addEventListener("state", (event) => render(JSON.parse(event.data)));
	open.addEventListener("error", () => { if (open.readyState === EventSource.CLOSED) status.textContent = "The lab has ended, or this play was given up for others: reload the page."; });
}
build();
/* Here one watches first, and reads the verdict then. */
root.after(document.getElementById("replay"));
begin().catch(() => { status.textContent = "The lab does not answer."; });
})();
