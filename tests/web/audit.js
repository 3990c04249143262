// audit.js - run inside a page by run.sh: what must hold of it at any width and in any colours.
// Returns lines "ok NAME" and "not ok NAME: why".
const lines = [];
const say = (name, bad) => lines.push(bad.length === 0 ? "ok " + name : "not ok " + name + ": " + bad.slice(0, 5).join("; "));
const all = (selector) => [...document.querySelectorAll(selector)];
const visible = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
const what = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (typeof e.className === "string" && e.className ? "." + e.className : "") + " " + JSON.stringify(e.textContent.trim().slice(0, 20));

// Nothing reaches beyond the window, but inside of what scrolls by itself.
const wide = document.documentElement.clientWidth;
const beyond = all("body *").filter((e) => visible(e) && !e.closest(".scroll, .row, .hidden, .skip, option") && e.getBoundingClientRect().right > wide + 1);
say("no overflow", document.documentElement.scrollWidth > wide ? ["the page is " + document.documentElement.scrollWidth + " wide", ...beyond.map(what)] : beyond.map(what));
say("tables scroll where they must", all(".scroll").filter((e) => visible(e) && e.getBoundingClientRect().right > wide + 1).map(what));

// WCAG 2.1, 1.4.3: contrast of text, worked out from the colours in force.
const parse = (text) => { const n = (text.match(/[\d.]+/g) || []).map(Number); return n.length < 4 ? [...n, 1] : n; };
const luminance = (c) => { const f = c.slice(0, 3).map((v) => v / 255).map((v) => v <= .03928 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4)); return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > .99) return c; } return [255, 255, 255, 1]; };
const faint = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
	const e = walker.currentNode.parentElement;
	if (!walker.currentNode.data.trim() || !visible(e) || e.closest("script, style, option, :disabled")) continue;
	const style = getComputedStyle(e), a = luminance(parse(style.color)), b = luminance(ground(e));
	const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05), size = parseFloat(style.fontSize);
	if (ratio < (size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5)) faint.push(ratio.toFixed(2) + " " + what(e));
}
say("contrast", faint);

// Names, landmarks, headings.
const named = (e) => (e.getAttribute("aria-label") || e.textContent.trim() || (e.labels && [...e.labels].map((l) => l.textContent.trim()).join("")) || e.getAttribute("aria-labelledby") || e.placeholder || "").length > 0;
say("everything that can be used has a name", all("button, input, select, a[href], canvas, summary").filter((e) => visible(e) && !named(e)).map(what));
say("landmarks", ["header", "main", "footer", "nav[aria-label]"].filter((s) => all(s).length !== 1));
say("sections have headings", all("main section").filter((e) => !document.getElementById(e.getAttribute("aria-labelledby") || "")).map(what));
const levels = all("h1, h2, h3, h4").filter(visible).map((e) => Number(e.tagName[1]));
say("headings in order", [...(levels.filter((l) => l === 1).length === 1 ? [] : ["not one h1"]), ...levels.filter((l, i) => i > 0 && l > levels[i - 1] + 1).map((l) => "h" + l + " after a gap")]);
const ids = all("[id]").map((e) => e.id);
say("ids are unique", ids.filter((id, i) => ids.indexOf(id) !== i));
say("live regions", all("[aria-live]").length < 3 ? ["fewer than three"] : []);
say("no tabindex above 0", all("[tabindex]").filter((e) => e.tabIndex > 0).map(what));
say("every chart has a table", all("canvas").filter((e) => visible(e) && !(e.closest("article") || document.body).querySelector("details table, table, details")).map(what));
return lines.join("\n");
