/* page.js - draws what page_data.h writes. Texts go in by textContent alone, so that no name
   of a job can become markup. ASCII only: the file is built into the program. */
"use strict";
const gqsim = (() => {
const $ = (id) => document.getElementById(id);
/* Seven colours, plain and dotted: fourteen teams by themselves, the others in grey. */
const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#f0e442"], OTHERS = "#8c8c8c";
const LIGHT = { panel: "#ffffff", text: "#000000", soft: "#333333", line: "#999999", free: "#eeeeee" };
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
const brief = (n) => n >= 1e6 ? n / 1e6 + "M" : n >= 1e4 ? n / 1e3 + "k" : count(n);
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

/* ---- what a page is sent: lists of differences (scenarios/README.md) ---- */
function sums(list) { let sum = 0; return Float64Array.from(list, (v) => sum += v); }
/* A text that others share but for a name (1) and numbers (2). */
const split = (text) => text.split(/([\x01\x02])/), numbersIn = (parts) => parts.filter((p) => p === "\x02").length;
const join = (parts, name, next) => parts.map((p) => p === "\x01" ? name : p === "\x02" ? String(next()) : p).join("");
function unpackNames(sent) {
	const texts = sent.texts.map(split), last = texts.map((t) => new Array(numbersIn(t)).fill(0));
	let at = 0;
	return sent.text.map((t) => { let i = 0; return join(texts[t], "", () => last[t][i] = last[t][i++] + sent.with[at++]); });
}
function unpackSpans(column, jobs) {
	const s = column.spans, n = s.job.length;
	s.n = n;
	s.job = Int32Array.from(sums(s.job));
	s.node = Int32Array.from(s.node);
	s.gpus = Int32Array.from(s.gpus, (more, i) => more + (jobs.pods[s.job[i]] ? Math.floor(jobs.gpus[s.job[i]] / jobs.pods[s.job[i]]) : 0));
	s.idle = Uint8Array.from(s.idle);
	const from = new Float64Array(n), to = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		const job = s.job[i], start = column.started[job];
		from[i] = (start < Infinity ? start : jobs.submit[job]) + s.from[i];
		to[i] = s.for[i] === null ? Infinity : s.for[i] === 0 ? column.ended[job] : from[i] + s.for[i];
	}
	s.from = from; s.to = to;
}
function unpackColumn(column, jobs) {
	const n = jobs.name.length;
	column.started = new Float64Array(n); column.ended = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		const start = column.jobs.start[i], end = column.jobs.end[i], from = start === null ? Infinity : jobs.submit[i] + start;
		column.started[i] = from;
		column.ended[i] = end === null ? Infinity : (from === Infinity ? jobs.submit[i] : from + (jobs.duration[i] || 0)) + end;
	}
	unpackSpans(column, jobs);
	const e = column.events;
	e.texts = e.texts.map(split);
	const numbers = e.texts.map(numbersIn);
	e.first = new Int32Array(n + 1);
	for (let i = 0; i < n; i++) e.first[i + 1] = e.first[i] + e.n[i];
	e.numbers = new Int32Array(e.text.length + 1);
	for (let k = 0; k < e.text.length; k++) e.numbers[k + 1] = e.numbers[k] + numbers[e.text[k]];
}
function unpack(sent) {
	sent.jobs.name = unpackNames(sent.jobs.name);
	sent.jobs.n = sent.jobs.name.length;
	sent.jobs.submit = sums(sent.jobs.submit);
	for (const column of sent.columns) unpackColumn(column, sent.jobs);
	return sent;
}
/* [time, text] of what happened to a job */
function eventsOf(column, job) {
	const e = column.events, out = [];
	let at = data.jobs.submit[job];
	for (let k = e.first[job]; k < e.first[job + 1]; k++) {
		let number = e.numbers[k];
		at += e.at[k];
		out.push([at, join(e.texts[e.text[k]], data.jobs.name[job], () => e.with[number++])]);
	}
	return out;
}

/* ---- what teams look like ---- */
let looks = [];
function chooseLooks() {
	const order = data.teams.map((t, i) => i).filter((i) => data.teams[i].shown);
	/* Where there are more teams than looks, those with most jobs get one. */
	const most = 2 * COLOURS.length, kept = order.length <= most ? order : order.slice().sort((a, b) => data.teams[b].jobs - data.teams[a].jobs || a - b).slice(0, most).sort((a, b) => a - b);
	looks = [];
	kept.forEach((team, k) => { looks[team] = { colour: COLOURS[k % COLOURS.length], dotted: k >= COLOURS.length }; });
}
const look = (team) => looks[team] || { colour: OTHERS, dotted: false };
const colour = (team) => look(team).colour;
function chip(team) { return el("i", { class: "chip" + (look(team).dotted ? " dotted" : ""), style: { backgroundColor: colour(team) } }); }

/* ---- canvases ---- */
function readPalette() {
	if (print) { palette = LIGHT; return; }
	const style = getComputedStyle(document.documentElement);
	palette = {};
	for (const name of Object.keys(LIGHT)) palette[name] = style.getPropertyValue("--" + name).trim();
	tiles = new Map();
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
/* A tile of its own for each look: filling with it is quick, and tells the same in black and white. */
let tiles = new Map();
function tile(c, name, size, draw) {
	const key = name + size + palette.text;
	if (!tiles.has(key)) {
		const box_ = document.createElement("canvas"), ratio = Math.min(window.devicePixelRatio || 1, 2);
		box_.width = box_.height = Math.round(size * ratio);
		const pen = box_.getContext("2d");
		pen.scale(ratio, ratio);
		draw(pen, size);
		const pattern = c.createPattern(box_, "repeat");
		pattern.setTransform(new DOMMatrix().scale(1 / ratio));
		tiles.set(key, pattern);
	}
	return tiles.get(key);
}
function hatching(c, size) {
	return tile(c, "hatch", size, (pen, n) => {
		pen.strokeStyle = palette.text; pen.lineWidth = Math.max(1, n / 4);
		pen.beginPath();
		for (let d = -n; d <= n; d += n) { pen.moveTo(d - 1, n + 1); pen.lineTo(d + n + 1, -1); }
		pen.stroke();
	});
}
function dots(c, size) {
	return tile(c, "dots", size, (pen, n) => { pen.fillStyle = "#000"; pen.beginPath(); pen.arc(n / 2, n / 2, n / 4.5, 0, 7); pen.fill(); });
}
/* Boxes of a look are filled at once: [x, y, w, h] one after the other. */
function fillBoxes(c, boxes, style) {
	c.fillStyle = style;
	c.beginPath();
	for (let i = 0; i < boxes.length; i += 4) c.rect(boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]);
	c.fill();
}
function paint(c, byTeam, idle, size) {
	byTeam.forEach((boxes, team) => {
		fillBoxes(c, boxes, colour(team));
		if (look(team).dotted && size >= 4) fillBoxes(c, boxes, dots(c, Math.max(4, Math.min(7, size / 2))));
	});
	if (idle.length) fillBoxes(c, idle, size >= 4 ? hatching(c, size > 8 ? 6 : 4) : palette.text);
}
function add(map, key, x, y, w, h) {
	let list = map.get(key);
	if (!list) map.set(key, list = []);
	list.push(x, y, w, h);
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
/* "16 (7.1 %)": the number, and its share smaller. */
function cellOf(text) {
	const at = text.indexOf(" (");
	return at < 0 ? text : [text.slice(0, at), " ", el("small", {}, text.slice(at + 1))];
}
function pick(label) { return data.figures.find((f) => f.label.startsWith(label)); }
function showVerdict() {
	const numbers = [["Jobs that never started", "jobs never started", "jobs_never_started"], ["Idle", "held idle", "idle_while_held"], ["  p95", "95 % start within", "start_wait_p95"]];
	const value = (column, key) => column.exact[key] === "never" ? Infinity : Number(column.exact[key]);
	/* What differs is the verdict; what the first column is by itself stands in its card, too. */
	const [alone, ...against] = data.verdict, some = against.length > 0 && against.length < 4;
	fill($("verdict-text"), some ? [against.map((v) => el("p", { class: "lead" }, v)), el("p", { class: "aside" }, alone)] : data.verdict.map((v, i) => el("p", { class: i === 0 ? "lead" : null }, v)));
	fill($("cards"), data.columns.map((column, i) => el("article", { class: "card" }, el("h3", {}, column.title),
		el("dl", { class: "numbers" }, numbers.map(([label, text, key]) => {
			const figure = pick(label);
			if (!figure) return null;
			const unit = figure.label.startsWith("Idle") ? figure.label.slice(5) + " held idle" : text;
			return el("div", {}, el("dt", {}, unit), el("dd", { class: figure.bad && value(column, key) > Math.min(...data.columns.map((k) => value(k, key))) ? "bad" : null }, cellOf(figure.cells[i])));
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
	for (const size of [28, 24, 20, 16, 12, 9, 7, 5, 4, 3]) {
		const gap = size > 9 ? 2 : 1, across = Math.min(most, 8), deep = Math.ceil(most / across), label = size >= 12 ? 18 : 0, pad = label ? 4 : 0, space = label ? 6 : Math.max(2, size >> 1);
		const w = Math.max(across * (size + gap) - gap + 2 * pad, label ? 92 : 0), h = deep * (size + gap) - gap + 2 * pad + label;
		const perRow = Math.max(1, Math.floor((width + space) / (w + space))), rows = Math.ceil(nodes.length / perRow);
		if (rows * (h + space) <= 420 || size === 3)
			return { size, gap, across, label, pad, perRow, w, h, right: w + space, down: h + space, height: Math.max(24, rows * (h + space)) };
	}
	return null;
}
function teamOfJob(job) { return data.jobs.team[job]; }
/* Which GPUs of its node a pod is drawn on: [first[i], first[i + 1]) of the list. Of pods that
   share GPUs, and of times that are rounded, more may be wanted than are free: then those that
   are free soonest. */
function lanes(column) {
	if (column.lanes) return column.lanes;
	const s = column.spans, order = Int32Array.from({ length: s.n }, (v, i) => i), free = data.nodes.map((n) => new Float64Array(Math.max(1, n[1])).fill(-Infinity));
	const first = new Int32Array(s.n + 1);
	for (let i = 0; i < s.n; i++) first[i + 1] = first[i] + Math.min(free[s.node[i]].length, Math.max(s.gpus[i], data.nodes[s.node[i]][1] > 0 ? 0 : 1));
	const list = new Int32Array(first[s.n]);
	order.sort((a, b) => s.from[a] - s.from[b] || s.to[a] - s.to[b] || a - b);
	for (const i of order) {
		const slots = free[s.node[i]], wanted = first[i + 1] - first[i];
		let at = first[i];
		for (let g = 0; g < slots.length && at < first[i + 1]; g++) if (slots[g] <= s.from[i]) { list[at++] = g; slots[g] = s.to[i]; }
		if (at < first[i + 1]) {
			const rest = Array.from(slots, (t, g) => g).filter((g) => !list.subarray(first[i], at).includes(g)).sort((a, b) => slots[a] - slots[b] || a - b);
			for (let k = 0; at < first[i] + wanted; k++) { list[at++] = rest[k]; slots[rest[k]] = Math.max(slots[rest[k]], s.to[i]); }
		}
	}
	return column.lanes = { first, list };
}
function drawFree(c, l) {
	const boxes = [];
	c.strokeStyle = palette.line; c.fillStyle = palette.text;
	data.nodes.forEach((node, i) => {
		const x = (i % l.perRow) * l.right, y = Math.floor(i / l.perRow) * l.down;
		if (l.label) {
			c.strokeRect(x + .5, y + .5, l.w - 1, l.h - 1);
			c.fillText(node[0].length > l.w / 7 ? node[0].slice(0, Math.max(3, l.w / 7 - 1)) + "." : node[0], x + 5, y + 14);
		}
		for (let g = 0; g < node[1]; g++) boxes.push(x + l.pad + (g % l.across) * (l.size + l.gap), y + l.label + l.pad + Math.floor(g / l.across) * (l.size + l.gap), l.size, l.size);
	});
	fillBoxes(c, boxes, palette.free);
}
function drawNodes(view) {
	if (view.column.grid) { drawNodesCoarsely(view); return; }
	const width = view.cluster.clientWidth || 400, l = layout(width), s = view.column.spans, { first, list } = lanes(view.column);
	view.cluster.style.height = l.height + "px";
	const [c] = context(view.cluster), byTeam = new Map(), idle = [];
	drawFree(c, l);
	view.at = [];
	for (let i = 0; i < s.n; i++) {
		if (s.from[i] > now || s.to[i] <= now) continue;
		const node = s.node[i], team = teamOfJob(s.job[i]), left = (node % l.perRow) * l.right + l.pad, top = Math.floor(node / l.perRow) * l.down + l.label + l.pad;
		for (let k = first[i]; k < first[i + 1]; k++) {
			const x = left + (list[k] % l.across) * (l.size + l.gap), y = top + Math.floor(list[k] / l.across) * (l.size + l.gap);
			add(byTeam, team, x, y, l.size, l.size);
			if (s.idle[i]) idle.push(x, y, l.size, l.size);
		}
		view.at.push(i);
	}
	paint(c, byTeam, idle, l.size);
}
function nodeTable(view) {
	const s = view.column.spans;
	return view.column.grid ? view.table : view.at.slice(0, 200).map((i) => [nodeLabel(s.node[i]), data.jobs.name[s.job[i]], data.teams[teamOfJob(s.job[i])].name, count(s.gpus[i]), s.idle[i] ? "held idle" : "working"]);
}
const share = (digit) => parseInt(digit, 36) / 35;
function drawNodesCoarsely(view) {
	const grid = view.column.grid, rows = grid.length, h = Math.max(3, Math.min(18, Math.floor(400 / Math.max(1, rows))));
	view.cluster.style.height = rows * h + "px";
	const [c, width] = context(view.cluster), length = (data.end - data.begin) || 1, byTeam = new Map(), idles = [], free = [];
	view.table = [];
	grid.forEach((row, i) => {
		const bins = row[3].length, bin = Math.min(bins - 1, Math.max(0, Math.floor((now - data.begin) / length * bins)));
		const work = Math.min(width, share(row[3][bin]) * width), idle = Math.min(width - work, share(row[4][bin]) * width), team = parseInt(row[5][bin], 36);
		free.push(0, i * h, width, h - 1);
		if (work + idle > 0) add(byTeam, team, 0, i * h, work + idle, h - 1);
		if (idle > 0) idles.push(work, i * h, idle, h - 1);
		if (i < 40) view.table.push([row[1] - row[0] === 1 ? nodeLabel(row[0]) : "nodes " + row[0] + " to " + (row[1] - 1), "", isNaN(team) ? "" : data.teams[team].name,
			Math.round(share(row[3][bin]) * 100) + " %", "working; held idle " + Math.round(share(row[4][bin]) * 100) + " %"]);
	});
	fillBoxes(c, free, palette.free);
	paint(c, byTeam, idles, h);
}
function quotaBar(view, team, i) {
	const column = view.column, bar = el("div", { class: "bar" }), text = el("span", {});
	const parts = { used: el("i", { class: look(team).dotted ? "dotted" : null, style: { backgroundColor: colour(team) } }), borrowed: el("i", { class: "borrowed" }), lent: el("i", { class: "lent" }), nominal: el("i", { class: "nominal" }) };
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
			(Math.round(borrowed) > 0 ? ", borrowed " + count(borrowed) : "") + (Math.round(lent) > 0 ? ", lent " + count(lent) : "");
	}
}
function makeCluster(column) {
	const view = { column, bars: [], idle: integrate(column.levels), scale: 1, table: [], at: [] };
	view.scale = Math.max(1, ...column.levels.gpus, ...column.levels.teams.map((t) => Math.max(...t.used, ...t.nominal)));
	view.cluster = canvas("Nodes and GPUs under " + column.title + "; the table below says the same", 80);
	view.counters = el("p", { class: "counters" });
	view.tableBox = el("details", { ontoggle: () => drawTable(view) }, el("summary", {}, "These nodes as a table"));
	const bars = data.teams.map((team, i) => team.shown && i < column.levels.teams.length ? quotaBar(view, i, i) : null);
	view.root = el("article", {}, el("h3", {}, column.title), view.counters, data.nodes.length && column.places_pods ? view.cluster : el("p", { class: "note" }, "No pods are placed on nodes in this run: quota alone decides."),
		data.nodes.length && column.places_pods ? view.tableBox : null,
		el("h4", { class: "quotas" }, column.admission ? "Quota of each team (line: nominal; striped: borrowed; dashed: lent)" : "GPUs each team's pods hold (line: its ClusterQueue's nominal quota)"), bars);
	return view;
}
function drawTable(view) {
	if (!view.tableBox.open) return;
	view.tableBox.replaceChildren(view.tableBox.firstChild, table("At " + time(now), ["Node", "Job", "Team", "GPUs", "State"], nodeTable(view), [false, false, false, true]));
}
function counters(view) {
	const l = view.column.levels, i = rowAt(l.time, now), idle = l.bound[i] - l.running[i];
	return [count(idleUntil(view, now)) + " GPU-seconds held idle so far", count(idle) + " GPUs held idle", count(l.running[i]) + " working", count(Math.max(0, l.gpus[i] - l.bound[i])) + " free", count(l.pending[i]) + (Math.round(l.pending[i]) === 1 ? " job waits" : " jobs wait")];
}
function showCounters(view) {
	const texts = counters(view);
	if (!view.counters.firstChild) fill(view.counters, texts.map((t, i) => el("span", { class: i === 0 ? "total" : null }, i === 0 ? [el("b", {}), ""] : "")));
	const space = texts[0].indexOf(" "), total = view.counters.firstChild;
	total.firstChild.textContent = texts[0].slice(0, space);
	total.lastChild.textContent = texts[0].slice(space);
	texts.forEach((t, i) => { if (i > 0) view.counters.children[i].textContent = t; });
}
function drawMoment() {
	for (const view of views) {
		if (data.nodes.length && view.column.places_pods) drawNodes(view);
		updateBars(view);
		showCounters(view);
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
	const rest = data.teams.filter((t, i) => !looks[i] && (t.shown || t.jobs === undefined)).length;
	fill($("legend"), data.teams.map((t, i) => t.shown && looks[i] ? el("span", {}, chip(i), t.name) : null),
		rest ? el("span", {}, chip(-1), "all other teams") : null,
		el("span", {}, el("i", { class: "chip held" }), "held, but idle"), el("span", {}, el("i", { class: "chip free" }), "free"));
}

/* ---- charts ---- */
const LEFT = 58, BOTTOM = 20, TOP = 8, RIGHT = 6;
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
	for (const v of max === null ? [] : ticks(max, 4)) { c.beginPath(); c.moveTo(LEFT, Math.round(y(v)) + .5); c.lineTo(width - RIGHT, Math.round(y(v)) + .5); c.stroke(); c.fillText(brief(v), LEFT - 6, y(v)); }
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
		if (l.busy) area(c, l.time, l.time.map(() => 0), l.busy, x, y, "#0072b2");
		c.strokeStyle = palette.text; steps(c, l.time, l.gpus, x, y);
	}, keys: (l) => [...(l.busy ? [["#0072b2", "busy, by the jobs' utilisation"]] : []), ["#56b4e9", l.busy ? "given to jobs that work" : "working"], ["#d55e00", "held idle"], ["", "capacity"]] },
	{ title: "Queue length: jobs that wait", max: (l) => Math.max(...l.pending), draw(c, l, x, y) {
		area(c, l.time, l.time.map(() => 0), l.pending, x, y, "#009e73");
	}, keys: () => [["#009e73", "jobs that wait"]] },
	{ title: "GPUs asked for by jobs that wait", max: (l) => Math.max(...l.asked), draw(c, l, x, y) {
		area(c, l.time, l.time.map(() => 0), l.asked, x, y, "#cc79a7");
	}, keys: () => [["#cc79a7", "GPUs asked for"]] },
];
const percent = (part) => part > 0 && part < .0005 ? "<0.1 %" : (part * 100).toFixed(1) + " %";
/* As compare tells it: allocation is what pods hold, utilisation what they do with it. */
function utilisation(column) {
	const spaces = column.namespaces, gpus = (part) => percent(Number(column.exact.capacity) > 0 ? part / Number(column.exact.capacity) : 0);
	if (!spaces) return null;
	return el("div", { class: "namespaces" }, el("h4", {}, "Utilisation of each namespace"), table("Of the GPUs that pods hold (DCGM_FI_DEV_GPU_UTIL), over time", ["Namespace", "held of all GPUs", "utilisation", "p95"],
		spaces.map((n) => [n.name, gpus(n.held), n.held > 0 ? percent(n.average) : "-", n.held > 0 ? percent(n.p95) : "-"]), [false, true, true, true]),
	spaces.length < column.namespace_count ? el("p", { class: "note" }, "The first " + spaces.length + " of " + count(column.namespace_count) + " namespaces.") : null);
}
let drawn = [];
function drawCharts() { for (const draw of drawn) draw(); for (const cursor of document.querySelectorAll(".cursor")) place(cursor); }
function showCharts() {
	drawn = [];
	fill($("charts"), data.columns.map((column) => {
		const l = column.levels;
		const boxes = CHARTS.map((chart) => {
			const node = canvas(chart.title + " over time under " + column.title, 150), max = Math.max(1, ...data.columns.map((o) => chart.max(o.levels)));
			drawn.push(() => { const [c, w, h] = context(node), [x, y] = axes(c, w, h, max, data.begin, data.end); chart.draw(c, l, x, y); });
			return [el("div", { class: "chart" }, el("h4", {}, chart.title), el("div", { class: "legend" }, chart.keys(l).map(([fillColour, text]) => el("span", {}, el("i", { class: fillColour ? "chip" : "chip rule", style: fillColour ? { background: fillColour } : {} }), text)))), framed(node, false)];
		});
		const every = Math.max(1, Math.ceil(l.time.length / 24)), rows = [];
		for (let i = 0; i < l.time.length; i += every) rows.push([time(l.time[i]), count(l.gpus[i]), l.busy ? count(l.busy[i]) : [], count(l.running[i]), count(l.bound[i] - l.running[i]), count(l.pending[i]), count(l.asked[i])].flat());
		return el("article", {}, el("h3", {}, column.title), boxes, l.exact ? null : el("p", { class: "note" }, "Means over stretches of " + time((data.end - data.begin) / (l.time.length - 1)) + "."),
			el("details", {}, el("summary", {}, "As a table"), table(every > 1 ? "Every " + every + "th row" : "Every change", ["Time", "GPUs", l.busy ? "busy" : [], "working", "held idle", "jobs wait", "GPUs asked"].flat(), rows, [false, true, true, true, true, true, true])),
			utilisation(column));
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
				c.strokeStyle = team < 0 ? palette.text : colour(team); c.lineWidth = team < 0 ? 3 : 2; c.setLineDash(team >= 0 && look(team).dotted ? [5, 3] : []);
				c.beginPath(); c.moveTo(x(0), y(0));
				wait.q.forEach((s, k) => { c.lineTo(x(s), y(k / Math.max(1, wait.q.length - 1) * part)); });
				if (wait.q.length) c.lineTo(x(longest), y(part));
				c.stroke();
				c.setLineDash([]);
			});
		});
		return el("article", {}, el("h3", {}, column.title), el("div", { style: { position: "relative" } }, node),
			el("div", { class: "legend" }, shown.map((wait) => { const team = column.waits.indexOf(wait) - 1; return el("span", {}, team < 0 ? el("i", { class: "chip", style: { background: "var(--text)" } }) : chip(team), wait.team); })),
			table("Wait to start", ["Team", "Jobs", "never", "median", "p95", "p99"], shown.map((wait) => [wait.team, count(wait.n), count(wait.never), time(wait.p50), time(wait.p95), time(wait.p99)]), [false, true, true, true, true, true]));
	}));
}

/* ---- Gantt ---- */
/* Where many pods are in sight: how busy a few nodes were for as long as a pixel is wide. Which
   team stands for a place is found as in a vote: who is left when others cancel out. */
const FEW = 3000;
function raster(column, from, to, columns, rows) {
	const s = column.spans, work = new Float32Array(columns * rows), idle = new Float32Array(columns * rows), weight = new Float32Array(columns * rows), team = new Int16Array(columns * rows).fill(-1);
	const each = (to - from) / columns, perRow = data.nodes.length / rows, gpus = new Float32Array(rows);
	data.nodes.forEach((n, i) => { gpus[Math.floor(i / perRow)] += n[1]; });
	for (let i = 0; i < s.n; i++) {
		const a = (Math.max(from, s.from[i]) - from) / each, b = (Math.min(to, s.to[i]) - from) / each;
		if (b <= a) continue;
		const base = Math.floor(s.node[i] / perRow) * columns, whose = teamOfJob(s.job[i]), sum = s.idle[i] ? idle : work;
		for (let x = Math.floor(a); x < b && x < columns; x++) {
			const part = (Math.min(b, x + 1) - Math.max(a, x)) * s.gpus[i], at = base + x;
			sum[at] += part;
			if (team[at] === whose) weight[at] += part;
			else if (part > weight[at]) { team[at] = whose; weight[at] = part - weight[at]; } else weight[at] -= part;
		}
	}
	return { work, idle, team, gpus };
}
function rgb(style) {
	const n = parseInt(style.slice(1), 16);
	return [n >> 16, n >> 8 & 255, n & 255];
}
function drawRaster(c, column, w, h) {
	const columns = Math.max(1, Math.floor(w - LEFT - RIGHT)), high = h - BOTTOM - TOP, rows = Math.min(data.nodes.length, Math.max(1, Math.floor(high / 3)));
	const r = raster(column, zoom[0], zoom[1], columns, rows), image = new ImageData(columns, rows), free = rgb(palette.free), dark = rgb(palette.text);
	const colours = data.teams.map((t, i) => rgb(colour(i)));
	for (let i = 0; i < columns * rows; i++) {
		const gpus = r.gpus[Math.floor(i / columns)] || 1, idle = Math.min(1, r.idle[i] / gpus), work = Math.min(1 - idle, r.work[i] / gpus), hue = r.team[i] < 0 ? free : colours[r.team[i]] || dark;
		for (let k = 0; k < 3; k++) image.data[4 * i + k] = hue[k] * work + dark[k] * idle + free[k] * (1 - work - idle);
		image.data[4 * i + 3] = 255;
	}
	const small = document.createElement("canvas");
	small.width = columns; small.height = rows;
	small.getContext("2d").putImageData(image, 0, 0);
	c.imageSmoothingEnabled = false;
	c.drawImage(small, LEFT, TOP, columns, high);
}
function drawGrid(c, column, x, w, top, each) {
	const grid = column.grid, bins = grid[0] ? grid[0][3].length : 1, length = (data.end - data.begin) / bins, byTeam = new Map(), idles = [];
	grid.forEach((row, i) => {
		for (let b = 0; b < bins; b++) {
			const left = x(data.begin + b * length), width = x(data.begin + (b + 1) * length) - left;
			if (left > w - RIGHT || left + width < LEFT || row[5][b] === ".") continue;
			const work = share(row[3][b]), idle = share(row[4][b]), l = Math.max(LEFT, left), r = Math.min(w - RIGHT, left + width);
			add(byTeam, parseInt(row[5][b], 36), l, top + each * (i + 1 - work), r - l, Math.max(.5, each * work - .5));
			if (idle > 0) idles.push(l, top + each * (i + 1 - work - idle), r - l, each * idle);
		}
	});
	paint(c, byTeam, [], 0);
	fillBoxes(c, idles, palette.text);
}
function drawSpans(c, column, seen, x, w, each) {
	const s = column.spans, { first, list } = lanes(column), byTeam = new Map(), idle = [];
	for (const i of seen) {
		const left = Math.max(LEFT, x(s.from[i])), right = Math.min(w - RIGHT, x(Math.min(data.end, s.to[i]))), lane = each * .94 / Math.max(1, data.nodes[s.node[i]][1]);
		for (let k = first[i]; k < first[i + 1]; k++) {
			const top = TOP + s.node[i] * each + list[k] * lane, width = Math.max(.7, right - left - .5), height = Math.max(.7, lane - (lane > 3 ? .7 : 0));
			add(byTeam, teamOfJob(s.job[i]), left, top, width, height);
			if (s.idle[i]) idle.push(left, top, width, height);
		}
	}
	paint(c, byTeam, idle, each > 24 ? 8 : each);
}
function inSight(column) {
	const s = column.spans, out = [];
	for (let i = 0; i < s.n; i++) if (s.to[i] > zoom[0] && s.from[i] < zoom[1]) out.push(i);
	return out;
}
function drawGantt(node, column) {
	const [c, w, h] = context(node), [from, to] = zoom, [x] = axes(c, w, h, null, from, to);
	const coarse = column.grid && to - from > (data.end - data.begin) / 12;
	const rows = coarse ? column.grid.length : data.nodes.length, each = (h - BOTTOM - TOP) / Math.max(1, rows);
	c.fillStyle = palette.soft; c.textAlign = "right"; c.textBaseline = "middle";
	for (let i = 0; i < rows; i += Math.max(1, Math.ceil(14 / each))) {
		const name = coarse ? nodeLabel(column.grid[i][0]) : nodeLabel(i);
		c.fillText(name.length > 8 ? ".." + name.slice(-6) : name, LEFT - 5, TOP + (i + .5) * each);
	}
	if (coarse) { drawGrid(c, column, x, w, TOP, each); return; }
	const seen = inSight(column);
	if (seen.length > FEW) drawRaster(c, column, w, h);
	else drawSpans(c, column, seen, x, w, each);
	c.strokeStyle = palette.line;
	if (each > 6) for (let i = 0; i <= rows; i++) { c.beginPath(); c.moveTo(LEFT, TOP + i * each - .5); c.lineTo(w - RIGHT, TOP + i * each - .5); c.stroke(); }
}
let gantts = [];
function redrawGantt() {
	for (const draw of gantts) draw();
	for (const open of document.querySelectorAll("#gantts details[open]")) { open.replaceChildren(open.firstChild); open.dispatchEvent(new Event("toggle")); }
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
		const node = canvas("Pods on nodes over time under " + column.title + "; the table below says the same", height), s = column.spans;
		gantts.push(() => drawGantt(node, column));
		drawn.push(() => drawGantt(node, column));
		node.addEventListener("wheel", (event) => { if (!event.ctrlKey) return; event.preventDefault(); zoomBy(event.deltaY < 0 ? .8 : 1.25, 0); }, { passive: false });
		node.addEventListener("pointermove", (event) => {
			const r = node.getBoundingClientRect(), t = zoom[0] + (event.clientX - r.left - LEFT) / (r.width - LEFT - RIGHT) * (zoom[1] - zoom[0]);
			const row = Math.floor((event.clientY - r.top - TOP) / ((height - TOP - BOTTOM) / data.nodes.length));
			const held = [...new Set(heldAt(s, row, t))];
			tip(event, held.length ? nodeLabel(row) + " at " + time(t) + ": " + held.slice(0, 8).join(", ") + (held.length > 8 ? " and " + (held.length - 8) + " more" : "") : "");
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
	for (let i = 0; i < s.n; i++) if (s.node[i] === row && s.from[i] <= t && t < s.to[i]) out.push(data.jobs.name[s.job[i]] + (s.idle[i] ? " (held idle)" : ""));
	return out;
}
function spanTable(box_, column) {
	if (!box_.open || box_.children.length > 1) return;
	const s = column.spans, seen = inSight(column).sort((a, b) => s.from[a] - s.from[b] || a - b);
	box_.append(table((seen.length > 300 ? "The first 300 of " + count(seen.length) : "All") + " stays of pods on nodes, " + time(zoom[0]) + " to " + time(zoom[1]), ["Job", "Node", "GPUs", "from", "to", ""],
		seen.slice(0, 300).map((i) => [data.jobs.name[s.job[i]], nodeLabel(s.node[i]), count(s.gpus[i]), time(s.from[i]), s.to[i] === Infinity ? "the end" : time(s.to[i]), s.idle[i] ? "held idle" : "worked"]), [false, false, true, true, true]));
}

/* ---- trouble ---- */
function showTrouble() {
	fill($("troubles"), data.columns.map((column) => el("article", {}, el("h3", {}, column.title),
		column.deadlock_count === 0 ? el("p", { class: "good" }, "No deadlock.") : table(count(column.deadlock_count) + " deadlock" + (column.deadlock_count === 1 ? "" : "s") + (column.deadlocks.length < column.deadlock_count ? ", the first " + column.deadlocks.length : ""),
			["Since", "Until", "Jobs", "Pods placed", "GPUs", "GPU-seconds held"], column.deadlocks.map((d) => [time(d.since), d.standing ? "the end" : time(d.until), d.jobs.join(", ") + (d.job_count > d.jobs.length ? " and " + (d.job_count - d.jobs.length) + " more" : ""), d.placed + " of " + d.wanted, count(d.gpus), count(d.gpu_s_held)]), [false, false, false, true, true, true]),
		column.starved.jobs === 0 ? el("p", { class: "good" }, "No job was overtaken 10 times or more.") : table(count(column.starved.jobs) + (column.starved.jobs === 1 ? " job was" : " jobs were") + " overtaken 10 times or more" + (column.starved.most.length < column.starved.jobs ? ", the most overtaken" : ""),
			["Job", "Overtaken by", "Waited"], column.starved.most.map(([job, overtakes, wait]) => [job, count(overtakes), time(wait)]), [false, true, true]),
		column.evictions.length === 0 ? el("p", { class: "good" }, "Nothing was evicted.") : table("Who evicted whom", ["For", "Stopped", "Why", "Times", "GPUs"], column.evictions.map(([by, of, why, n, gpus]) => [by === null ? "(no other job)" : by, of, why, count(n), count(gpus)]), [false, false, false, true, true]))));
}

/* ---- jobs ---- */
const STATES = { f: "finished", x: "failed", d: "deadlocked", r: "running", l: "later", w: "waiting" }, PAGE_OF_JOBS = 100;
let stopped = new Set(), listed = PAGE_OF_JOBS;
function findStopped() {
	stopped = new Set();
	for (const c of data.columns) {
		const says = c.events.texts.map((t) => /EvictedDue|preempted|evicted/.test(t.join("")));
		for (let job = 0; job < data.jobs.n; job++) for (let k = c.events.first[job]; k < c.events.first[job + 1]; k++) if (says[c.events.text[k]]) stopped.add(job);
	}
}
/* When it was submitted: after another's end, some are at times of their own. */
const came = (column, job) => data.jobs.submit[job] + (column.jobs.came ? column.jobs.came[job] : 0);
const waited = (column, job) => column.started[job] - came(column, job);
const longest = (job) => data.jobs.longest[job];
function findJobs() {
	const find = $("find").value.trim().toLowerCase(), filter = $("filter").value, teams = data.teams.map((t) => t.name.toLowerCase().includes(find)), hits = [];
	const lower = data.jobs.lower || (data.jobs.lower = data.jobs.name.map((n) => n.toLowerCase()));
	for (let i = 0; i < data.jobs.n; i++) {
		if (find && !lower[i].includes(find) && !teams[data.jobs.team[i]]) continue;
		if (filter === "evicted" ? !stopped.has(i) : filter === "waited" ? longest(i) <= 0 : filter && !data.columns.some((c) => STATES[c.jobs.state[i]] === filter)) continue;
		hits.push(i);
	}
	if ($("order").value === "wait") hits.sort((a, b) => { const x = longest(a), y = longest(b); return x === y ? a - b : y - x; });
	return hits;
}
function showJobs() {
	const hits = findJobs(), shown = hits.slice(0, listed), jobs = data.jobs;
	$("found").textContent = count(hits.length) + " of " + count(data.job_count) + " jobs" + (jobs.n < data.job_count ? " (the page has " + count(jobs.n) + ": those something happened to, and an even sample)" : "") + (hits.length > shown.length ? ", the first " + shown.length + " shown" : "");
	fill($("joblist"), el("table", {}, el("caption", {}, "Choose a job to see what happened to it"), el("thead", {}, el("tr", {}, ["Job", "Team", "GPUs", "Pods", "Priority", "Submitted"].map((h, i) => el("th", { scope: "col", class: i > 1 ? "n" : null }, h)),
		data.columns.flatMap((c) => [el("th", { scope: "col", class: "n" }, c.title + ": wait"), el("th", { scope: "col" }, "outcome")]))),
		el("tbody", {}, shown.map((i) => el("tr", {}, el("th", { scope: "row" }, el("button", { type: "button", class: "link", onclick: () => showHistory(i, true) }, jobs.name[i])), el("td", {}, data.teams[jobs.team[i]].name),
			[count(jobs.gpus[i]), count(jobs.pods[i]), String(jobs.priority[i]), time(jobs.submit[i])].map((t) => el("td", { class: "n" }, t)),
			data.columns.flatMap((c) => [el("td", { class: "n" }, time(waited(c, i))), el("td", { class: /[dxw]/.test(c.jobs.state[i]) ? "bad" : null }, STATES[c.jobs.state[i]])]))))),
		hits.length > shown.length ? el("p", { class: "more" }, el("button", { type: "button", id: "more", onclick: () => { listed += PAGE_OF_JOBS; showJobs(); } }, "Show " + Math.min(PAGE_OF_JOBS, hits.length - shown.length) + " more")) : null);
}
function searchJobs() { listed = PAGE_OF_JOBS; showJobs(); }
/* Of many jobs the page leaves out what their outcome says, too. */
function historyOf(column, job) {
	const rows = eventsOf(column, job), state = column.jobs.state[job], wait = waited(column, job);
	if (wait > 0 && column.started[job] < Infinity && !column.events_cut && !rows.some(([t, text]) => t <= column.started[job] && /waits|not |insufficient|forbidden|evicted/i.test(text))) rows.push([came(column, job), "waited its turn: the scheduler had others before it, and gave no reason"]);
	if (!column.brief) return rows.sort((a, b) => a[0] - b[0]);
	rows.push([came(column, job), "submitted"]);
	if (column.started[job] < Infinity) rows.push([column.started[job], "started"]);
	if (column.ended[job] < Infinity && state === "f") rows.push([column.ended[job], "finished"]);
	return rows.sort((a, b) => a[0] - b[0]);
}
function showHistory(i, focus) {
	const jobs = data.jobs;
	fill($("history"), el("h3", {}, jobs.name[i] + " of " + data.teams[jobs.team[i]].name + " (" + count(jobs.gpus[i]) + " GPUs)"), el("div", { class: "columns" }, data.columns.map((column) => {
		const rows = historyOf(column, i).map(([t, text]) => [time(t), text]);
		return el("article", {}, rows.length ? table(column.title, ["Time", "What happened"], rows) : el("p", {}, column.title + ": nothing is kept of it."),
			column.thinned ? el("p", { class: "note" }, THINNED) : null,
			column.events_shown < column.events_of ? el("p", { class: "note" }, "The page has " + count(column.events_shown) + " of " + count(column.events_of) + " events.") : null);
	})));
	if (focus) $("history").focus();
}
const THINNED = "Of an input this large a job's first reason to wait is kept, and of later ones fewer and fewer.";

/* ---- configuration ---- */
function showConfig() {
	const c = data.config, rows = c.queues.flatMap((q) => q.quotas.map(([flavor, resource, nominal, borrowing, lending]) => [q.name, q.cohort, q.strategy, q.reclaimWithinCohort, q.withinClusterQueue, flavor, resource, nominal, borrowing === null ? "-" : borrowing, lending === null ? "-" : lending]));
	fill($("configuration"), rows.length ? table("Quotas at the start", ["ClusterQueue", "Cohort", "Strategy", "reclaimWithinCohort", "withinClusterQueue", "Flavor", "Resource", "nominal", "borrowingLimit", "lendingLimit"], rows, [false, false, false, false, false, false, false, true, true, true]) : null,
		table("Nodes", ["Nodes", "GPUs"], [[count(data.node_count), count(Math.max(...data.columns.map((k) => Math.max(...k.levels.gpus))))]], [false, true]),
		c.inputs.length ? table("Inputs", ["File", "XXH3 hash"], c.inputs.map((i) => [i.name, i.xxh3])) : null,
		el("p", {}, "Options of the scenario: " + (c.options.length ? c.options.join(", ") : "none") + ". Of the command line: " + (c.settings.length ? c.settings.join(", ") : "none") + ". Seed " + c.seed + "."),
		data.columns.some((k) => k.thinned) ? el("p", {}, THINNED) : null,
		data.columns.some((k) => k.end !== "complete") ? el("p", { class: "bad" }, data.columns.map((k) => k.title + ": " + k.end).join("; ") + ".") : null);
}

/* ---- the whole ---- */
function redraw() { readPalette(); if (data) { drawCharts(); drawMoment(); } }
/* Where nothing marks an instant: where most is held idle, or else where most wait, or run. */
function busiest() {
	for (const level of [(l, i) => l.bound[i] - l.running[i], (l, i) => l.pending[i], (l, i) => l.running[i]]) {
		let best = 0, found = data.begin;
		for (const { levels: l } of data.columns) for (let i = 0; i + 1 < l.time.length; i++) if (level(l, i) > best) { best = level(l, i); found = l.time[i]; }
		if (best > 0) return found;
	}
	return data.begin;
}
function show(next, at) {
	const first = data === null, whole = !first && zoom && zoom[0] <= data.begin && zoom[1] >= data.end;
	/* What was opened stays open. */
	const opened = first ? [] : [...document.querySelectorAll("main details")].map((d) => d.open);
	data = unpack(next);
	chooseLooks();
	if (whole) zoom = null;
	document.title = "gqsim: " + data.title;
	$("title").textContent = data.title;
	$("version").textContent = $("version2").textContent = data.version;
	readPalette();
	const all = marks();
	now = at !== undefined ? at : all.length ? all[0].t : busiest();
	if (first) fill($("nav"), [...document.querySelectorAll("main > section")].map((s) => el("li", {}, el("a", { href: "#" + s.id }, s.querySelector("h2").textContent))));
	showVerdict();
	showReplay();
	showCharts();
	showTrouble();
	data.jobs.longest = Float64Array.from(data.jobs.name, (n, i) => Math.max(...data.columns.map((c) => waited(c, i))));
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
$("find").addEventListener("input", searchJobs);
$("filter").addEventListener("change", searchJobs);
$("order").addEventListener("change", searchJobs);
let resized = 0;
window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(redraw, 100); });
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("beforeprint", () => { print = true; for (const d of document.querySelectorAll("#verdict details")) d.open = true; redraw(); });
window.addEventListener("afterprint", () => { print = false; redraw(); });
/* Large data are packed. */
async function read(text) {
	const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}
const embedded = $("data");
if (embedded && embedded.type === "application/json") show(JSON.parse(embedded.textContent));
else if (embedded) {
	$("title").textContent = "One moment ...";
	read(embedded.textContent).then((sent) => show(sent)).catch(() => { $("title").textContent = "This browser cannot unpack the data of this page: it needs DecompressionStream."; });
}
return { show, el, fill, table, time, count, pause, now: () => now, data: () => data };
})();
