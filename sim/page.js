/* page.js - draws what page_data.h writes. Texts go in by textContent alone, so that no name
   of a job can become markup. ASCII only: the file is built into the program. */
"use strict";
const gqsim = (() => {
const $ = (id) => document.getElementById(id);
const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#f0e442", "#8c8c8c"];
const LIGHT = { ground: "#ffffff", text: "#000000", soft: "#333333", line: "#999999", free: "#eeeeee" };
let data = null, views = [], now = 0, playing = false, frame = 0, last = 0, zoom = null, print = false, palette = LIGHT, spoken = 0;

/* ---- making elements ---- */
function el(tag, attributes, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false) continue;
		if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
		else if (name === "style") Object.assign(node.style, value);
		else node.setAttribute(name, value === true ? "" : value);
	}
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined) node.append(child);
	return node;
}
function fill(parent, ...children) { parent.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined)); }
function table(caption, heads, rows, numeric) {
	const cell = (tag, text, i) => el(tag, { class: numeric && numeric[i] ? "n" : null, scope: tag === "th" ? "col" : null }, text);
	return el("div", { class: "scroll flat" }, el("table", {}, el("caption", {}, caption),
		el("thead", {}, el("tr", {}, heads.map((h, i) => cell("th", h, i)))),
		el("tbody", {}, rows.map((r) => el("tr", {}, r.map((c, i) => i === 0 ? el("th", { scope: "row" }, c) : cell("td", c, i)))))));
}

/* ---- numbers and times as the command line prints them ---- */
const count = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
function time(s) {
	if (s === null || s === undefined || s === Infinity) return "never";
	if (s < 60) return (Math.round(s * 100) / 100) + "s";
	const whole = Math.round(s);
	for (const [below, size, small, names] of [[3600, 60, 1, "ms"], [86400, 3600, 60, "hm"], [Infinity, 86400, 3600, "dh"]]) {
		const parts = Math.round(whole / small), ratio = size / small;
		if (parts >= below / small) continue;
		return Math.floor(parts / ratio) + names[0] + (parts % ratio ? " " + parts % ratio + names[1] : "");
	}
	return "";
}
const colour = (team) => team >= 0 ? COLOURS[team % COLOURS.length] : palette.soft;

/* ---- canvases ---- */
function readPalette() {
	if (print) { palette = LIGHT; return; }
	const style = getComputedStyle(document.documentElement);
	palette = {};
	for (const name of Object.keys(LIGHT)) palette[name] = style.getPropertyValue("--" + name).trim();
}
function canvas(label, height) {
	const node = el("canvas", { role: "img", "aria-label": label });
	node.style.height = height + "px";
	return node;
}
function context(node) {
	const ratio = Math.min(window.devicePixelRatio || 1, 2), width = node.clientWidth || 600, height = parseFloat(node.style.height);
	node.width = Math.round(width * ratio);
	node.height = Math.round(height * ratio);
	const c = node.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	c.font = "12px system-ui, sans-serif";
	c.lineWidth = 1;
	return [c, width, height];
}
function hatch(c, x, y, w, h) {
	c.save();
	c.beginPath(); c.rect(x, y, w, h); c.clip();
	c.strokeStyle = palette.text; c.lineWidth = Math.max(1, Math.min(2, w / 7));
	c.beginPath();
	for (let d = -h; d < w; d += Math.max(3, Math.min(6, w / 3))) { c.moveTo(x + d, y + h); c.lineTo(x + d + h, y); }
	c.stroke();
	c.restore();
}
function box(c, x, y, w, h, team, idle) {
	c.fillStyle = colour(team);
	c.fillRect(x, y, w, h);
	if (idle) hatch(c, x, y, w, h);
}

/* ---- levels over time ---- */
function rowAt(times, t) {
	let low = 0, high = times.length - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (times[middle] <= t) low = middle; else high = middle - 1;
	}
	return low;
}
function integrate(levels) {
	const sums = [0];
	for (let i = 1; i < levels.time.length; i++)
		sums.push(sums[i - 1] + (levels.bound[i - 1] - levels.running[i - 1]) * (levels.time[i] - levels.time[i - 1]));
	return sums;
}
function idleUntil(view, t) {
	const l = view.column.levels, i = rowAt(l.time, t);
	return view.idle[i] + (l.bound[i] - l.running[i]) * Math.max(0, t - l.time[i]);
}

/* ---- the first screen ---- */
function pick(label) { return data.figures.find((f) => f.label.startsWith(label)); }
function showVerdict() {
	const numbers = [["Jobs that never started", "jobs never started", "jobs_never_started"], ["Idle", "held idle", "idle_while_held"], ["  p95", "95 % start within", "start_wait_p95"]];
	const value = (column, key) => column.exact[key] === "never" ? Infinity : Number(column.exact[key]);
	fill($("verdict-text"), data.verdict.map((v) => el("p", { class: data.verdict.length > 3 ? null : "lead" }, v)));
	fill($("cards"), data.columns.map((column, i) => el("article", { class: "card" }, el("h3", {}, column.title),
		el("dl", { class: "numbers" }, numbers.map(([label, text, key]) => {
			const figure = pick(label);
			if (!figure) return null;
			const unit = figure.label.startsWith("Idle") ? figure.label.slice(5) + " held idle" : text;
			return el("div", {}, el("dt", {}, unit), el("dd", { class: figure.bad && value(column, key) > Math.min(...data.columns.map((k) => value(k, key))) ? "bad" : null }, figure.cells[i]));
		})))));
	fill($("assumptions"), data.assumptions.map((a) => el("li", {}, a)), data.findings.map(([kind, text]) => el("li", {}, el("strong", {}, kind + ": "), text)));
	fill($("story"), data.story.length ? data.story.map((s) => el("li", {}, s)) : [el("li", {}, "Nothing out of the ordinary.")]);
	fill($("figures"), table("Figures of all columns over one window", ["", ...data.columns.map((c) => c.title)],
		data.figures.map((f) => [f.label.trim(), ...f.cells]), [false, ...data.columns.map(() => true)]));
}

/* ---- replay ---- */
function nodeLabel(i) { return i < data.nodes.length ? data.nodes[i][0] : "node " + i; }
function layout(width) {
	const nodes = data.nodes;
	const most = Math.max(1, ...nodes.map((n) => n[1]));
	for (const size of [20, 16, 12, 9, 7, 5, 3]) {
		const gap = size > 6 ? 2 : 1, across = Math.min(most, 8), deep = Math.ceil(most / across);
		const label = size >= 12 ? 16 : 0, w = Math.max(across * (size + gap) + 6, label ? 84 : 0), h = deep * (size + gap) + 6 + label;
		const perRow = Math.max(1, Math.floor(width / (w + 4))), rows = Math.ceil(nodes.length / perRow);
		if (rows * (h + 4) <= 420 || size === 3)
			return { size, gap, across, label, w, h, perRow, height: Math.max(40, rows * (h + 4)) };
	}
	return null;
}
function teamOfJob(job) { return data.jobs[job][1]; }
function drawNodes(view) {
	if (view.column.grid) { drawNodesCoarsely(view); return; }
	const width = view.cluster.clientWidth || 400, l = layout(width);
	view.cluster.style.height = l.height + "px";
	const [c] = context(view.cluster);
	const used = data.nodes.map(() => 0), spans = view.column.spans;
	const cellAt = (node, slot) => {
		const x = (node % l.perRow) * (l.w + 4) + 3, y = Math.floor(node / l.perRow) * (l.h + 4) + l.label + 3;
		return [x + (slot % l.across) * (l.size + l.gap), y + Math.floor(slot / l.across) * (l.size + l.gap)];
	};
	data.nodes.forEach((node, i) => {
		const x = (i % l.perRow) * (l.w + 4), y = Math.floor(i / l.perRow) * (l.h + 4);
		c.strokeStyle = palette.line;
		if (l.label) {
			c.strokeRect(x + .5, y + .5, l.w - 1, l.h - 1);
			c.fillStyle = palette.text;
			c.fillText(node[0].length > l.w / 7 ? node[0].slice(0, Math.max(3, l.w / 7 - 1)) + "." : node[0], x + 4, y + 13);
		}
		c.fillStyle = palette.free;
		for (let g = 0; g < node[1]; g++) { const [gx, gy] = cellAt(i, g); c.fillRect(gx, gy, l.size, l.size); }
	});
	view.table = [];
	for (let i = 0; i < spans.length; i += 6) {
		if (spans[i + 3] > now || spans[i + 4] <= now) continue;
		const node = spans[i + 1], team = teamOfJob(spans[i]);
		for (let g = 0; g < spans[i + 2]; g++) {
			const [x, y] = cellAt(node, used[node]++);
			box(c, x, y, l.size, l.size, team, spans[i + 5] === 1);
		}
		view.table.push([nodeLabel(node), data.jobs[spans[i]][0], data.teams[team].name, count(spans[i + 2]), spans[i + 5] ? "held idle" : "working"]);
	}
}
const share = (digit) => parseInt(digit, 36) / 35;
function drawNodesCoarsely(view) {
	const grid = view.column.grid, rows = grid.length, h = Math.max(3, Math.min(18, Math.floor(400 / Math.max(1, rows))));
	view.cluster.style.height = rows * h + "px";
	const [c, width] = context(view.cluster), length = (data.end - data.begin) || 1;
	view.table = [];
	grid.forEach((row, i) => {
		const bins = row[3].length, bin = Math.min(bins - 1, Math.max(0, Math.floor((now - data.begin) / length * bins)));
		const work = share(row[3][bin]) * width, idle = share(row[4][bin]) * width, team = parseInt(row[5][bin], 36);
		c.fillStyle = palette.free; c.fillRect(0, i * h, width, h - 1);
		if (work > 0) box(c, 0, i * h, Math.min(work, width), h - 1, team, false);
		if (idle > 0) box(c, work, i * h, Math.min(idle, width - work), h - 1, team, true);
		if (i < 40) view.table.push([row[1] - row[0] === 1 ? nodeLabel(row[0]) : "nodes " + row[0] + " to " + (row[1] - 1), "", isNaN(team) ? "" : data.teams[team].name,
			Math.round(share(row[3][bin]) * 100) + " %", "working; held idle " + Math.round(share(row[4][bin]) * 100) + " %"]);
	});
}
function quotaBar(view, team, i) {
	const column = view.column, bar = el("div", { class: "bar" }), text = el("span", {});
	const parts = { used: el("i", { style: { background: colour(team) } }), borrowed: el("i", { class: "borrowed" }), lent: el("i", { class: "lent" }), nominal: el("i", { class: "nominal" }) };
	bar.append(parts.used, parts.borrowed, parts.lent, parts.nominal);
	view.bars.push({ team, parts, text });
	return el("div", { class: "quota" }, el("span", {}, data.teams[i].name), bar, text);
}
function updateBars(view) {
	const l = view.column.levels, row = rowAt(l.time, now);
	for (const { team, parts, text } of view.bars) {
		const t = l.teams[team], nominal = t.nominal[row], used = t.used[row], borrowed = t.borrowed[row], lent = t.lent[row];
		const at = (n) => Math.max(0, Math.min(100, n / view.scale * 100)) + "%";
		parts.used.style.width = at(used);
		parts.borrowed.style.left = at(used - borrowed);
		parts.borrowed.style.width = at(borrowed);
		parts.lent.style.left = at(nominal - lent);
		parts.lent.style.width = at(lent);
		parts.lent.style.display = lent > 0 ? "block" : "none";
		parts.nominal.style.left = at(nominal);
		parts.nominal.style.display = nominal < 0 ? "none" : "block";
		text.textContent = nominal < 0 ? count(used) + " GPUs" : count(used) + " of " + count(nominal) +
			(borrowed > 0 ? ", borrowed " + count(borrowed) : "") + (lent > 0 ? ", lent " + count(lent) : "");
	}
}
function makeCluster(column) {
	const view = { column, bars: [], idle: integrate(column.levels), scale: 1, table: [] };
	view.scale = Math.max(1, ...column.levels.gpus, ...column.levels.teams.map((t) => Math.max(...t.used, ...t.nominal)));
	view.cluster = canvas("Nodes and GPUs under " + column.title + "; the table below says the same", 80);
	view.counters = el("p", { class: "counters" });
	view.tableBox = el("details", { ontoggle: () => drawTable(view) }, el("summary", {}, "These nodes as a table"));
	const bars = data.teams.map((team, i) => team.shown && i < column.levels.teams.length ? quotaBar(view, i, i) : null);
	view.root = el("article", {}, el("h3", {}, column.title), view.counters, data.nodes.length && column.places_pods ? view.cluster : el("p", { class: "note" }, "No pods are placed on nodes in this run: quota alone decides."),
		data.nodes.length && column.places_pods ? view.tableBox : null,
		el("h4", { class: "note" }, column.admission ? "Quota of each team (line: nominal; striped: borrowed; dashed: lent)" : "GPUs each team's pods hold (line: its ClusterQueue's nominal quota)"), bars);
	return view;
}
function drawTable(view) {
	if (!view.tableBox.open) return;
	view.tableBox.replaceChildren(view.tableBox.firstChild, table("At " + time(now), ["Node", "Job", "Team", "GPUs", "State"], view.table.slice(0, 200), [false, false, false, true]));
}
function counters(view) {
	const l = view.column.levels, i = rowAt(l.time, now), idle = l.bound[i] - l.running[i];
	return [count(idleUntil(view, now)) + " GPU-seconds held idle so far", count(idle) + " GPUs held idle", count(l.running[i]) + " working", count(Math.max(0, l.gpus[i] - l.bound[i])) + " free", count(l.pending[i]) + (Math.round(l.pending[i]) === 1 ? " job waits" : " jobs wait")];
}
function drawMoment() {
	for (const view of views) {
		if (data.nodes.length && view.column.places_pods) drawNodes(view);
		updateBars(view);
		fill(view.counters, counters(view).map((text, i) => el("span", { class: i === 0 ? "total" : null }, text)));
		if (!playing) drawTable(view);
	}
	$("clock").textContent = time(now);
	const span = data.end - data.begin;
	$("scrub").value = span > 0 ? String(Math.round((now - data.begin) / span * 1000)) : "0";
	$("scrub").setAttribute("aria-valuetext", time(now));
	for (const cursor of document.querySelectorAll(".cursor")) place(cursor);
}
/* What a screen reader hears: not every frame. */
function speak(text) { $("moment").textContent = text; }
function speakCounters() { speak("At " + time(now) + ": " + views.map((v) => v.column.title + " " + counters(v)[0]).join("; ") + "."); }
function marks() {
	const all = [];
	data.columns.forEach((c) => c.marks.forEach(([t, kind, job]) => all.push({ t, text: "At " + time(t) + ", " + c.title + ": " + kind + " (" + job + ")" })));
	return all.sort((a, b) => a.t - b.t);
}
function jump(forward) {
	const all = marks(), found = forward ? all.find((m) => m.t > now + 1e-6) : all.filter((m) => m.t < now - 1e-6).pop();
	pause();
	if (!found) { speak(forward ? "No later deadlock or preemption." : "No earlier deadlock or preemption."); return; }
	now = found.t;
	drawMoment();
	speak(all.filter((m) => m.t === found.t).map((m) => m.text).join("; ") + ".");
}
function tick(stamp) {
	if (!playing) return;
	const seconds = last ? Math.min(.25, (stamp - last) / 1000) : 0;
	last = stamp;
	now = Math.min(data.end, now + seconds * Number($("speed").value));
	drawMoment();
	if (stamp - spoken > 4000) { spoken = stamp; speakCounters(); }
	if (now >= data.end) { pause(); return; }
	frame = requestAnimationFrame(tick);
}
function pause() {
	if (!playing) return;
	playing = false;
	cancelAnimationFrame(frame);
	$("play").textContent = "Play";
	$("play").setAttribute("aria-pressed", "false");
	drawMoment();
	speakCounters();
}
function play() {
	if (playing) { pause(); return; }
	if (now >= data.end) now = data.begin;
	playing = true;
	last = 0;
	$("play").textContent = "Pause";
	$("play").setAttribute("aria-pressed", "true");
	frame = requestAnimationFrame(tick);
}
function showReplay() {
	views = data.columns.map(makeCluster);
	fill($("clusters"), views.map((v) => v.root));
	const span = Math.max(1, data.end - data.begin), old = $("speed").selectedIndex;
	fill($("speed"), [240, 120, 60, 30, 10].map((n) => el("option", { value: String(span / n) }, time(span / n) + " a second")));
	$("speed").selectedIndex = old >= 0 ? old : 2;
	fill($("legend"), data.teams.map((t, i) => t.shown ? el("span", {}, el("i", { class: "chip", style: { background: colour(i) } }), t.name) : null),
		el("span", {}, el("i", { class: "chip held" }), "held, but idle"), el("span", {}, el("i", { class: "chip free" }), "free"));
}

/* ---- charts ---- */
const LEFT = 44, BOTTOM = 20, TOP = 8, RIGHT = 6;
function place(cursor) {
	const window_ = cursor.zooms ? zoom : [data.begin, data.end], span = window_[1] - window_[0] || 1;
	const at = (now - window_[0]) / span;
	cursor.style.display = at < 0 || at > 1 ? "none" : "block";
	cursor.style.left = "calc(" + LEFT + "px + (100% - " + (LEFT + RIGHT) + "px) * " + at + ")";
}
function framed(node, zooms) {
	const cursor = el("div", { class: "cursor", "aria-hidden": "true", style: { position: "absolute", top: TOP + "px", bottom: BOTTOM + "px", width: "2px", background: "var(--text)", pointerEvents: "none" } });
	cursor.zooms = zooms;
	return el("div", { style: { position: "relative" } }, node, cursor);
}
function ticks(max, n) {
	const raw = max / n, power = Math.pow(10, Math.floor(Math.log10(raw || 1))), step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw) || 1, out = [];
	for (let v = 0; v <= max * 1.0001; v += Math.max(step, 1e-9)) out.push(v);
	return out;
}
function timeTicks(from, to, n) {
	const steps = [1, 5, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000];
	const step = steps.find((s) => (to - from) / s <= n) || (to - from) || 1, out = [];
	for (let v = Math.ceil(from / step) * step; v <= to; v += step) out.push(v);
	return out;
}
function axes(c, width, height, max, from, to) {
	const x = (t) => LEFT + (t - from) / ((to - from) || 1) * (width - LEFT - RIGHT), y = (v) => height - BOTTOM - v / (max || 1) * (height - BOTTOM - TOP);
	c.strokeStyle = palette.line; c.fillStyle = palette.soft;
	c.textAlign = "right"; c.textBaseline = "middle";
	for (const v of max === null ? [] : ticks(max, 4)) { c.beginPath(); c.moveTo(LEFT, Math.round(y(v)) + .5); c.lineTo(width - RIGHT, Math.round(y(v)) + .5); c.stroke(); c.fillText(count(v), LEFT - 5, y(v)); }
	c.textBaseline = "alphabetic";
	for (const t of timeTicks(from, to, width < 420 ? 4 : 7)) { c.textAlign = x(t) > width - 24 ? "right" : "center"; c.fillText(time(t), x(t), height - 5); }
	return [x, y];
}
function steps(c, times, values, x, y, exact) {
	c.beginPath();
	for (let i = 0; i < times.length; i++) {
		if (i > 0) c.lineTo(x(times[i]), y(values[i - 1]));
		if (i === 0) c.moveTo(x(times[i]), y(values[i])); else c.lineTo(x(times[i]), y(values[i]));
	}
	c.stroke();
}
function area(c, times, low, high, x, y, style) {
	c.fillStyle = style;
	c.beginPath();
	for (let i = 0; i + 1 < times.length; i++)
		if (high[i] > low[i]) c.rect(x(times[i]), y(high[i]), Math.max(.5, x(times[i + 1]) - x(times[i])), y(low[i]) - y(high[i]));
	c.fill();
}
const CHARTS = [
	{ title: "Utilisation: GPUs", max: (l) => Math.max(...l.gpus, ...l.bound), draw(c, l, x, y) {
		area(c, l.time, l.time.map(() => 0), l.running, x, y, "#56b4e9");
		area(c, l.time, l.running, l.bound, x, y, "#d55e00");
		c.strokeStyle = palette.text; steps(c, l.time, l.gpus, x, y);
	}, keys: [["#56b4e9", "working"], ["#d55e00", "held idle"], ["", "line: capacity"]] },
	{ title: "Queue length: jobs that wait", max: (l) => Math.max(...l.pending), draw(c, l, x, y) {
		area(c, l.time, l.time.map(() => 0), l.pending, x, y, "#009e73");
	}, keys: [["#009e73", "jobs that wait"]] },
	{ title: "GPUs asked for by jobs that wait", max: (l) => Math.max(...l.asked), draw(c, l, x, y) {
		area(c, l.time, l.time.map(() => 0), l.asked, x, y, "#cc79a7");
	}, keys: [["#cc79a7", "GPUs asked for"]] },
];
let drawn = [];
function drawCharts() { for (const draw of drawn) draw(); for (const cursor of document.querySelectorAll(".cursor")) place(cursor); }
function showCharts() {
	drawn = [];
	fill($("charts"), data.columns.map((column) => {
		const l = column.levels;
		const boxes = CHARTS.map((chart) => {
			const node = canvas(chart.title + " over time under " + column.title, 150), max = Math.max(1, ...data.columns.map((o) => chart.max(o.levels)));
			drawn.push(() => { const [c, w, h] = context(node), [x, y] = axes(c, w, h, max, data.begin, data.end); chart.draw(c, l, x, y); });
			return [el("h4", { class: "note" }, chart.title), framed(node, false),
				el("div", { class: "legend" }, chart.keys.map(([fillColour, text]) => el("span", {}, fillColour ? el("i", { class: "chip", style: { background: fillColour } }) : null, text)))];
		});
		const every = Math.max(1, Math.ceil(l.time.length / 24)), rows = [];
		for (let i = 0; i < l.time.length; i += every) rows.push([time(l.time[i]), count(l.gpus[i]), count(l.running[i]), count(l.bound[i] - l.running[i]), count(l.pending[i]), count(l.asked[i])]);
		return el("article", {}, el("h3", {}, column.title), boxes, l.exact ? null : el("p", { class: "note" }, "Means over stretches of " + time((data.end - data.begin) / (l.time.length - 1)) + "."),
			el("details", {}, el("summary", {}, "As a table"), table(every > 1 ? "Every " + every + "th row" : "Every change", ["Time", "GPUs", "working", "held idle", "jobs wait", "GPUs asked"], rows, [false, true, true, true, true, true])));
	}));
	showWaits();
	showGantt();
	drawCharts();
}

/* ---- waits ---- */
function showWaits() {
	const longest = Math.max(10, ...data.columns.flatMap((c) => c.waits.flatMap((w) => w.q.length ? [w.q[w.q.length - 1]] : [])));
	const scale = (s) => Math.log10(1 + s) / Math.log10(1 + longest);
	fill($("cdfs"), data.columns.map((column) => {
		const node = canvas("Waits under " + column.title, 200);
		const shown = column.waits.filter((w, i) => w.n > 0 && (i === 0 || data.teams[i - 1].shown));
		drawn.push(() => {
			const [c, w, h] = context(node), x = (s) => LEFT + scale(s) * (w - LEFT - RIGHT), y = (p) => h - BOTTOM - p * (h - BOTTOM - TOP);
			c.strokeStyle = palette.line; c.fillStyle = palette.soft; c.textAlign = "right"; c.textBaseline = "middle";
			for (const p of [0, .25, .5, .75, 1]) { c.beginPath(); c.moveTo(LEFT, y(p)); c.lineTo(w - RIGHT, y(p)); c.stroke(); c.fillText(p * 100 + " %", LEFT - 4, y(p)); }
			c.textBaseline = "alphabetic"; c.textAlign = "center";
			let right = -99;
			for (const s of [0, 10, 60, 600, 3600, 36000, 86400, 864000]) if (s <= longest && x(s) - right > 44) { right = x(s); c.fillText(time(s), Math.min(x(s), w - 20), h - 5); }
			shown.forEach((wait) => {
				const team = column.waits.indexOf(wait) - 1, part = (wait.n - wait.never) / wait.n;
				c.strokeStyle = team < 0 ? palette.text : colour(team); c.lineWidth = team < 0 ? 3 : 2;
				c.beginPath(); c.moveTo(x(0), y(0));
				wait.q.forEach((s, k) => { c.lineTo(x(s), y(k / Math.max(1, wait.q.length - 1) * part)); });
				if (wait.q.length) c.lineTo(x(longest), y(part));
				c.stroke();
			});
		});
		return el("article", {}, el("h3", {}, column.title), el("div", { style: { position: "relative" } }, node),
			el("div", { class: "legend" }, shown.map((wait) => { const team = column.waits.indexOf(wait) - 1; return el("span", {}, el("i", { class: "chip", style: { background: team < 0 ? "var(--text)" : colour(team) } }), wait.team); })),
			table("Wait to start", ["Team", "Jobs", "never", "median", "p95", "p99"], shown.map((wait) => [wait.team, count(wait.n), count(wait.never), time(wait.p50), time(wait.p95), time(wait.p99)]), [false, true, true, true, true, true]));
	}));
}

/* ---- Gantt ---- */
function lanes(column) {
	const spans = column.spans, order = [], free = data.nodes.map((n) => new Array(Math.max(1, n[1])).fill(-Infinity)), out = [];
	for (let i = 0; i < spans.length; i += 6) order.push(i);
	order.sort((a, b) => spans[a + 3] - spans[b + 3] || a - b);
	for (const i of order) {
		const slots = free[spans[i + 1]], taken = [];
		for (let g = 0; g < slots.length && taken.length < Math.max(1, spans[i + 2]); g++) if (slots[g] <= spans[i + 3]) taken.push(g);
		for (const g of taken) slots[g] = spans[i + 4];
		out.push([i, taken]);
	}
	return out;
}
function drawGantt(node, column, placed) {
	const [c, w, h] = context(node), [from, to] = zoom, [x] = axes(c, w, h, null, from, to);
	const grid = column.grid, coarse = grid && to - from > (data.end - data.begin) / 12;
	const rows = coarse ? grid.length : data.nodes.length, each = (h - BOTTOM - TOP) / Math.max(1, rows);
	c.fillStyle = palette.soft; c.textAlign = "right"; c.textBaseline = "middle";
	for (let i = 0; i < rows; i += Math.max(1, Math.ceil(12 / each))) {
		const name = coarse ? String(grid[i][0]) : nodeLabel(i);
		c.fillText(name.length > 7 ? ".." + name.slice(-5) : name, LEFT - 3, TOP + (i + .5) * each);
	}
	if (grid) {
		const bins = grid[0] ? grid[0][3].length : 1, length = (data.end - data.begin) / bins;
		c.globalAlpha = coarse ? 1 : .25;
		grid.forEach((row, i) => {
			const top = coarse ? TOP + i * each : TOP + row[0] * each, high = coarse ? each : (row[1] - row[0]) * each;
			for (let b = 0; b < bins; b++) {
				const left = x(data.begin + b * length), width = x(data.begin + (b + 1) * length) - left;
				if (left > w - RIGHT || left + width < LEFT || row[5][b] === ".") continue;
				const work = share(row[3][b]), idle = share(row[4][b]), l = Math.max(LEFT, left), r = Math.min(w - RIGHT, left + width);
				box(c, l, top + high * (1 - work), r - l, Math.max(.5, high * work - .5), parseInt(row[5][b], 36), false);
				if (idle > 0) { c.fillStyle = palette.text; c.fillRect(l, top + high * (1 - work - idle), r - l, high * idle); }
			}
		});
		c.globalAlpha = 1;
	}
	if (coarse) return;
	for (const [i, taken] of placed) {
		const s = column.spans, left = Math.max(LEFT, x(s[i + 3])), right = Math.min(w - RIGHT, x(Math.min(data.end, s[i + 4])));
		if (right <= LEFT || left >= w - RIGHT || right - left < .2) continue;
		const gpus = Math.max(1, data.nodes[s[i + 1]][1]), lane = each * .94 / gpus;
		for (const g of taken) box(c, left, TOP + s[i + 1] * each + g * lane, Math.max(.7, right - left - .5), Math.max(.7, lane - (lane > 3 ? .7 : 0)), teamOfJob(s[i]), s[i + 5] === 1);
	}
	c.strokeStyle = palette.line;
	if (each > 6) for (let i = 0; i <= rows; i++) { c.beginPath(); c.moveTo(LEFT, TOP + i * each - .5); c.lineTo(w - RIGHT, TOP + i * each - .5); c.stroke(); }
}
let gantts = [];
function redrawGantt() {
	for (const draw of gantts) draw();
	for (const cursor of document.querySelectorAll(".cursor")) place(cursor);
	$("zoomed").textContent = "Shown: " + time(zoom[0]) + " to " + time(zoom[1]);
}
function zoomBy(factor, shift) {
	const middle = (zoom[0] + zoom[1]) / 2, half = (zoom[1] - zoom[0]) / 2, whole = data.end - data.begin;
	let width = Math.min(whole, Math.max(whole / 5000, half * 2 * factor)), from = middle - width / 2 + shift * half;
	from = Math.max(data.begin, Math.min(from, data.end - width));
	zoom = [from, from + width];
	redrawGantt();
}
function tip(event, text) {
	let box_ = document.querySelector(".tip");
	if (!text) { if (box_) box_.remove(); return; }
	if (!box_) { box_ = el("div", { class: "tip", "aria-hidden": "true" }); document.body.append(box_); }
	box_.textContent = text;
	box_.style.left = Math.min(event.clientX + 12, window.innerWidth - 180) + "px";
	box_.style.top = event.clientY + 14 + "px";
}
function showGantt() {
	if (!zoom || zoom[1] > data.end) zoom = [data.begin, data.end];
	const height = Math.max(90, Math.min(520, data.nodes.length * 64)) + TOP + BOTTOM;
	gantts = [];
	fill($("gantts"), data.columns.map((column) => {
		if (!data.nodes.length || !column.places_pods) return el("article", {}, el("h3", {}, column.title), el("p", { class: "note" }, "No pods are placed on nodes in this run."));
		const node = canvas("Pods on nodes over time under " + column.title + "; the table of jobs says when each ran", height), placed = lanes(column), s = column.spans;
		gantts.push(() => drawGantt(node, column, placed));
		drawn.push(() => drawGantt(node, column, placed));
		node.addEventListener("wheel", (event) => { if (!event.ctrlKey) return; event.preventDefault(); zoomBy(event.deltaY < 0 ? .8 : 1.25, 0); }, { passive: false });
		node.addEventListener("pointermove", (event) => {
			const r = node.getBoundingClientRect(), t = zoom[0] + (event.clientX - r.left - LEFT) / (r.width - LEFT - RIGHT) * (zoom[1] - zoom[0]);
			const row = Math.floor((event.clientY - r.top - TOP) / ((height - TOP - BOTTOM) / data.nodes.length));
			let text = "";
			for (let i = 0; i < s.length && !text; i += 6) if (s[i + 1] === row && s[i + 3] <= t && t < s[i + 4]) text = data.jobs.length ? nodeLabel(row) + " at " + time(t) + ": " + [...new Set(heldAt(s, row, t))].slice(0, 8).join(", ") : "";
			tip(event, text);
		});
		node.addEventListener("pointerleave", (event) => tip(event, ""));
		node.addEventListener("click", (event) => { const r = node.getBoundingClientRect(); now = Math.max(data.begin, Math.min(data.end, zoom[0] + (event.clientX - r.left - LEFT) / (r.width - LEFT - RIGHT) * (zoom[1] - zoom[0]))); pause(); drawMoment(); });
		const left = column.spans_of - column.spans_shown;
		return el("article", {}, el("h3", {}, column.title), framed(node, true),
			left > 0 ? el("p", { class: "note" }, "Drawn one by one: " + count(column.spans_shown) + " of " + count(column.spans_of) + " stays of pods on nodes; of the others the page has how busy nodes were.") : null,
			el("details", { ontoggle: (event) => spanTable(event.target, column) }, el("summary", {}, "As a table")));
	}));
	redrawGantt();
}
function heldAt(s, row, t) {
	const out = [];
	for (let i = 0; i < s.length; i += 6) if (s[i + 1] === row && s[i + 3] <= t && t < s[i + 4]) out.push(data.jobs[s[i]][0] + (s[i + 5] ? " (held idle)" : ""));
	return out;
}
function spanTable(box_, column) {
	if (!box_.open || box_.children.length > 1) return;
	const s = column.spans, rows = [];
	for (let i = 0; i < s.length && rows.length < 300; i += 6) rows.push([data.jobs[s[i]][0], nodeLabel(s[i + 1]), count(s[i + 2]), time(s[i + 3]), s[i + 4] === Infinity ? "the end" : time(s[i + 4]), s[i + 5] ? "held idle" : "worked"]);
	box_.append(table(rows.length === 300 ? "The first 300 stays of pods" : "Stays of pods on nodes", ["Job", "Node", "GPUs", "from", "to", ""], rows, [false, false, true, true, true]));
}

/* ---- trouble ---- */
function showTrouble() {
	fill($("troubles"), data.columns.map((column) => el("article", {}, el("h3", {}, column.title),
		column.deadlock_count === 0 ? el("p", {}, "No deadlock.") : table(count(column.deadlock_count) + " deadlock" + (column.deadlock_count === 1 ? "" : "s") + (column.deadlocks.length < column.deadlock_count ? ", the first " + column.deadlocks.length : ""),
			["Since", "Until", "Jobs", "Pods placed", "GPUs", "GPU-seconds held"], column.deadlocks.map((d) => [time(d.since), d.standing ? "the end" : time(d.until), d.jobs.join(", ") + (d.job_count > d.jobs.length ? " and " + (d.job_count - d.jobs.length) + " more" : ""), d.placed + " of " + d.wanted, count(d.gpus), count(d.gpu_s_held)]), [false, false, false, true, true, true]),
		column.starved.jobs === 0 ? el("p", {}, "No job was overtaken 10 times or more.") : table(count(column.starved.jobs) + (column.starved.jobs === 1 ? " job was" : " jobs were") + " overtaken 10 times or more" + (column.starved.most.length < column.starved.jobs ? ", the most overtaken" : ""),
			["Job", "Overtaken by", "Waited"], column.starved.most.map(([job, overtakes, wait]) => [job, count(overtakes), time(wait)]), [false, true, true]),
		column.evictions.length === 0 ? el("p", {}, "Nothing was evicted.") : table("Who evicted whom", ["For", "Stopped", "Why", "Times", "GPUs"], column.evictions.map(([by, of, why, n, gpus]) => [by === null ? "(no other job)" : by, of, why, count(n), count(gpus)]), [false, false, false, true, true]))));
}

/* ---- jobs ---- */
let stopped = new Set();
function findStopped() {
	stopped = new Set();
	for (const c of data.columns) {
		const says = c.texts.map((t) => /EvictedDue|preempted|evicted/.test(t));
		for (let k = 0; k < c.events.length; k += 3) if (says[c.events[k + 2]]) stopped.add(c.events[k]);
	}
}
function showJobs() {
	const find = $("find").value.trim().toLowerCase(), filter = $("filter").value, hits = [];
	data.jobs.forEach((job, i) => {
		if (find && !(job[0] + " " + data.teams[job[1]].name).toLowerCase().includes(find)) return;
		if (filter === "evicted" ? !stopped.has(i) : filter && !data.columns.some((c) => c.jobs[i][2] === filter)) return;
		hits.push(i);
	});
	const shown = hits.slice(0, 200), n = data.columns.length;
	$("found").textContent = count(hits.length) + " of " + count(data.job_count) + " jobs" + (data.jobs.length < data.job_count ? " (the page has " + count(data.jobs.length) + ": those something happened to, and an even sample)" : "") + (hits.length > shown.length ? ", the first " + shown.length + " shown" : "");
	fill($("joblist"), el("table", {}, el("caption", {}, "Choose a job to see what happened to it"), el("thead", {}, el("tr", {}, ["Job", "Team", "GPUs", "Pods", "Priority", "Submitted"].map((h, i) => el("th", { scope: "col", class: i > 1 ? "n" : null }, h)),
		data.columns.flatMap((c) => [el("th", { scope: "col", class: "n" }, c.title + ": wait"), el("th", { scope: "col" }, "outcome")]))),
		el("tbody", {}, shown.map((i) => { const job = data.jobs[i]; return el("tr", {}, el("th", { scope: "row" }, el("button", { type: "button", class: "link", onclick: () => showHistory(i, true) }, job[0])), el("td", {}, data.teams[job[1]].name),
			[count(job[3]), count(job[4]), String(job[5]), time(job[2])].map((t) => el("td", { class: "n" }, t)),
			data.columns.flatMap((c) => [el("td", { class: "n" }, c.jobs[i][0] === null ? "never" : time(c.jobs[i][0] - job[2])), el("td", {}, c.jobs[i][2])])); }))));
}
function showHistory(i, focus) {
	const job = data.jobs[i];
	fill($("history"), el("h3", {}, job[0] + " of " + data.teams[job[1]].name + " (" + count(job[3]) + " GPUs)"), el("div", { class: "columns" }, data.columns.map((column) => {
		const rows = [];
		for (let k = 0; k < column.events.length; k += 3) if (column.events[k] === i) rows.push([time(column.events[k + 1]), column.texts[column.events[k + 2]]]);
		return el("article", {}, rows.length ? table(column.title, ["Time", "What happened"], rows) : el("p", {}, column.title + ": nothing is kept of it."), column.reasons ? null : el("p", { class: "note" }, "Of an input this large it is not kept why a job waited."),
			column.events_shown < column.events_of ? el("p", { class: "note" }, "The page has " + count(column.events_shown) + " of " + count(column.events_of) + " events.") : null);
	})));
	if (focus) $("history").focus();
}

/* ---- configuration ---- */
function showConfig() {
	const c = data.config, rows = c.queues.flatMap((q) => q.quotas.map(([flavor, resource, nominal, borrowing, lending]) => [q.name, q.cohort, q.strategy, q.reclaimWithinCohort, q.withinClusterQueue, flavor, resource, nominal, borrowing === null ? "-" : borrowing, lending === null ? "-" : lending]));
	fill($("configuration"), rows.length ? table("Quotas at the start", ["ClusterQueue", "Cohort", "Strategy", "reclaimWithinCohort", "withinClusterQueue", "Flavor", "Resource", "nominal", "borrowingLimit", "lendingLimit"], rows, [false, false, false, false, false, false, false, true, true, true]) : null,
		table("Nodes", ["Nodes", "GPUs"], [[count(data.node_count), count(Math.max(...data.columns.map((k) => Math.max(...k.levels.gpus))))]], [false, true]),
		c.inputs.length ? table("Inputs", ["File", "XXH3 hash"], c.inputs) : null,
		el("p", {}, "Options of the scenario: " + (c.options.length ? c.options.join(", ") : "none") + ". Of the command line: " + (c.settings.length ? c.settings.join(", ") : "none") + ". Seed " + c.seed + "."),
		data.columns.every((k) => k.reasons) ? null : el("p", {}, "Why each job waited is kept of up to 2,000 jobs, under Kueue of up to 20,000."),
		data.columns.some((k) => k.end !== "complete") ? el("p", { class: "bad" }, data.columns.map((k) => k.title + ": " + k.end).join("; ") + ".") : null);
}

/* ---- the whole ---- */
function redraw() { readPalette(); if (data) { drawCharts(); drawMoment(); } }
function show(next, at) {
	const first = data === null, whole = !first && zoom && zoom[0] <= data.begin && zoom[1] >= data.end;
	/* What was opened stays open. */
	const opened = first ? [] : [...document.querySelectorAll("main details")].map((d) => d.open);
	data = next;
	if (whole) zoom = null;
	/* A stay that goes on at the end. */
	for (const column of data.columns) column.spans = column.spans.map((v) => v === null ? Infinity : v);
	document.title = "gqsim: " + data.title;
	$("title").textContent = data.title;
	$("version").textContent = $("version2").textContent = data.version;
	readPalette();
	const all = marks();
	now = at !== undefined ? at : all.length ? all[0].t : data.begin + (data.end - data.begin) / 2;
	if (first) fill($("nav"), [...document.querySelectorAll("main > section")].map((s) => el("li", {}, el("a", { href: "#" + s.id }, s.querySelector("h2").textContent))));
	showVerdict();
	showReplay();
	showCharts();
	showTrouble();
	findStopped();
	showJobs();
	showConfig();
	drawMoment();
	if (first && at === undefined) speak((all.length ? all[0].text : "At " + time(now)) + ".");
	const after = document.querySelectorAll("main details");
	if (after.length === opened.length) after.forEach((d, i) => { d.open = opened[i]; });
}
$("play").addEventListener("click", play);
$("next").addEventListener("click", () => jump(true));
$("prev").addEventListener("click", () => jump(false));
$("scrub").addEventListener("input", () => { pause(); now = data.begin + (data.end - data.begin) * Number($("scrub").value) / 1000; drawMoment(); });
$("scrub").addEventListener("change", speakCounters);
$("zoom-in").addEventListener("click", () => zoomBy(.5, 0));
$("zoom-out").addEventListener("click", () => zoomBy(2, 0));
$("pan-left").addEventListener("click", () => zoomBy(1, -1));
$("pan-right").addEventListener("click", () => zoomBy(1, 1));
$("find").addEventListener("input", showJobs);
$("filter").addEventListener("change", showJobs);
let resized = 0;
window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(redraw, 100); });
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("beforeprint", () => { print = true; for (const d of document.querySelectorAll("#verdict details")) d.open = true; redraw(); });
window.addEventListener("afterprint", () => { print = false; redraw(); });
const embedded = $("data");
if (embedded) show(JSON.parse(embedded.textContent));
return { show, el, fill, table, time, count, pause, now: () => now, data: () => data };
})();
