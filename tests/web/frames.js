// frames.js - run inside a page by run.sh: what a frame costs (a measurement, not a check).
// Answers "what: milliseconds of script, the middle one (the longest); from frame to frame".
const done = arguments[arguments.length - 1], set = (id, value, event) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(event)); };
const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1].toFixed(1) + " (" + list[list.length - 1].toFixed(1) + ")";
async function measure(what, frames, act) {
	const script = [], between = [];
	let last = await new Promise(requestAnimationFrame);
	for (let i = 0; i < frames; i++) {
		const from = performance.now();
		act(i);
		script.push(performance.now() - from);
		const next = await new Promise(requestAnimationFrame);
		between.push(next - last);
		last = next;
	}
	return what + ": " + middle(script) + "; " + middle(between);
}
const click = (id) => document.getElementById(id).click();
(async () => {
	const lines = [];
	document.getElementById("clusters").scrollIntoView();
	lines.push(await measure("replay", 100, (i) => set("scrub", String(i * 10), "input")));
	document.getElementById("gantts").scrollIntoView();
	lines.push(await measure("zoom in", 10, () => click("zoom-in")));
	lines.push(await measure("pan", 10, () => click("pan-right")));
	lines.push(await measure("zoom out", 10, () => click("zoom-out")));
	lines.push(await measure("find", 5, (i) => set("find", String(i), "input")));
	set("find", "", "input");
	done(lines.join(", "));
})();
