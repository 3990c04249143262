#!/bin/bash
# run.sh - the pages in a real browser: headless Chromium, driven through chromedriver.
# A line a check, "ok NAME" or "not ok NAME: why", then "N passed, N failed". Screenshots
# are left in $O/web: look at them when you change a page.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
O=${O:-build/release}
gqsim=${GQSIM:-$O/gqsim}
out=$O/web
passed=0
failed=0
driver=
lab=
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
profile=$(mktemp -d)

finish() {
	[ -z "${session:-}" ] || curl -s -m 20 -X DELETE "$session" >/dev/null
	[ -z "$lab" ] || kill "$lab" 2>/dev/null
	[ -z "$driver" ] || kill "$driver" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$profile"
}
trap finish EXIT

ok() { echo "ok $1"; passed=$((passed + 1)); }
not_ok() { echo "not ok $1: $2"; failed=$((failed + 1)); }
check() { # check NAME GOT WANTED
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got \"$2\", not \"$3\""; fi
}

for tool in chromedriver curl jq base64; do
	command -v $tool >/dev/null || { echo "not ok web: $tool is missing: .ci/deps all"; echo "0 passed, 1 failed"; exit 1; }
done

# ---- the browser ----

chromedriver --port=0 >"$out/chromedriver.log" 2>&1 &
driver=$!
port=
for _ in $(seq 100); do
	port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$out/chromedriver.log")
	[ -z "$port" ] || break
	sleep 0.2
done
# --no-sandbox: Chromium will not run as root with one.
options='["--headless=new","--no-sandbox","--disable-gpu","--disable-dev-shm-usage","--hide-scrollbars","--force-device-scale-factor=1","--window-size=1280,900","--user-data-dir='$profile'"]'
answer=$(curl -s -m 120 -H 'Content-Type: application/json' "http://127.0.0.1:$port/session" \
	-d '{"capabilities":{"alwaysMatch":{"browserName":"chrome","goog:loggingPrefs":{"browser":"ALL"},"goog:chromeOptions":{"args":'"$options"'}}}}')
id=$(jq -r '.value.sessionId // empty' <<<"$answer")
if [ -z "$id" ]; then
	not_ok web "no browser: $(jq -r '.value.message // empty' <<<"$answer" | head -1)"
	echo "$passed passed, $failed failed"
	exit 1
fi
session=http://127.0.0.1:$port/session/$id

post() { curl -s -m 120 -H 'Content-Type: application/json' -d @- "$session/$1"; } # post PATH < BODY
js() { # js SCRIPT [ARGUMENT]: the value that the script returns, as text
	jq -n --arg s "$1" --arg a "${2-}" '{script: $s, args: [$a]}' | post execute/sync |
		jq -r '.value | if type == "string" then . else tojson end'
}
open_page() { jq -n --arg u "$1" '{url: $u}' | post url >/dev/null; }
cdp() { jq -n --arg c "$1" --argjson p "$2" '{cmd: $c, params: $p}' | post goog/cdp/execute >/dev/null; }
width() { cdp Emulation.setDeviceMetricsOverride '{"width":'"$1"',"height":'"${2:-900}"',"deviceScaleFactor":1,"mobile":false}'; }
scheme() { cdp Emulation.setEmulatedMedia '{"media":"'"${2-}"'","features":[{"name":"prefers-color-scheme","value":"'"$1"'"}]}'; }
shot() { # shot NAME: the whole page
	local height
	height=$(js 'return document.documentElement.scrollHeight')
	width "$(js 'return innerWidth')" "$((height < 12000 ? height : 12000))"
	curl -s -m 60 "$session/screenshot" | jq -r .value | base64 -d >"$out/$1.png"
}
press() { # press KEY, a WebDriver code such as \ue004 (Tab)
	printf '{"actions":[{"type":"key","id":"k","actions":[{"type":"keyDown","value":"%s"},{"type":"keyUp","value":"%s"}]}]}' "$1" "$1" | post actions >/dev/null
}
click() { # click CSS: a real click in its middle
	local element
	element=$(jq -n --arg v "$1" '{using: "css selector", value: $v}' | post element | jq -r '.value | to_entries[0].value')
	echo '{}' | post "element/$element/click" | jq -r '.value.message // empty' | head -1
}
wait_for() { # wait_for SCRIPT VALUE: until the script returns it, for a minute at most
	for _ in $(seq 150); do
		[ "$(js "$1")" != "$2" ] || return 0
		sleep 0.4
	done
	return 1
}
console() { # console NAME: nothing went wrong since the last time
	check "$1: no console error" "$(echo '{"type":"browser"}' | post se/log | jq -r '[.value[] | select(.level == "SEVERE" or .level == "WARNING") | .message] | join("; ")')" ""
}
audit() { # audit NAME: what tests/web/audit.js says, a line a check
	local line
	while IFS= read -r line; do
		case $line in
		"ok "*) ok "$1: ${line#ok }" ;;
		*) not_ok "$1: ${line#not ok }" "see above" ;;
		esac
	done < <(js "$(cat tests/web/audit.js)")
}
looks() { # looks NAME: both widths, both schemes
	local wide mode
	for wide in 1280 390; do
		for mode in light dark; do
			scheme $mode
			width $wide
			sleep 0.4
			audit "$1, $wide px, $mode"
			shot "$1-$wide-$mode"
		done
	done
	scheme light print
	width 1280
	check "$1, print: no controls" "$(js 'return String([...document.querySelectorAll(".controls, nav")].filter((e) => e.offsetParent).length)')" 0
	shot "$1-print"
	scheme light
	width 1280
	echo '{"page":{"width":21,"height":29.7}}' | post print | jq -r .value | base64 -d >"$out/$1.pdf"
	check "$1, print: a PDF" "$(head -c 5 "$out/$1.pdf")" "%PDF-"
}
plain() { tr -s ' |' '||' | sed 's/|*$//'; } # blanks and bars alike
exact() { # exact NAME FILE: every exact figure is compare's
	local csv
	csv=$("$gqsim" compare "$2" -o csv)
	check "$1: every exact figure" "$(js 'const rows = arguments[0].trim().split("\n").slice(1).map((l) => l.split(","));
		return rows.filter((r) => gqsim.data().columns.some((c, i) => c.exact[r[0]] !== r[2 + i])).map((r) => r[0]).join(" ") + rows.length' \
		"$csv")" "$(($(wc -l <<<"$csv") - 1))"
}
shown_figures() { js 'return [...document.querySelectorAll("#figures tbody tr")].map((r) => [...r.children].map((c) => c.textContent).join("|")).join("\n")'; }

# ---- the report ----

"$gqsim" report scenarios/gpu-queue-lab.yaml -o "$out/report.html" || not_ok report "gqsim report failed"
open_page "file://$out/report.html"
width 1280 900
check "report: the first screen has verdict, numbers and assumptions" "$(js 'return String(document.getElementById("assumed").getBoundingClientRect().bottom <= 900 && document.getElementById("assumed").open)')" true
width 390 844
check "report, 390 px: the first screen has verdict and numbers" "$(js 'return String(document.getElementById("cards").getBoundingClientRect().bottom <= 844)')" true
looks report
width 1280
check "report: the run went to its end" "$(js 'return String(document.querySelectorAll("#configuration .bad").length)')" 0
check "report: figures of the command line" "$(shown_figures | plain)" \
	"$("$gqsim" compare scenarios/gpu-queue-lab.yaml | sed -n '4,/^$/p' | sed '/^$/d; s/^  *//' | plain)"
exact report scenarios/gpu-queue-lab.yaml

# keyboard alone
js 'document.activeElement.blur(); window.scrollTo(0, 0)' >/dev/null
press '\ue004'
check "report, keys: the skip link is first" "$(js 'return document.activeElement.className')" skip
found=no
for _ in $(seq 30); do
	press '\ue004'
	[ "$(js 'return document.activeElement.id')" != play ] || { found=yes; break; }
done
check "report, keys: Tab reaches Play" $found yes
before=$(js 'return String(gqsim.now())')
press '\ue00d'
wait_for 'return document.getElementById("play").getAttribute("aria-pressed")' true
sleep 1
press '\ue00d'
wait_for 'return document.getElementById("play").getAttribute("aria-pressed")' false
check "report, keys: Space plays and pauses" "$(js 'return String(gqsim.now() > Number(arguments[0]))' "$before")" true
for _ in 1 2 3 4 5 6 7 8 9 10; do
	js 'document.getElementById("next").focus()' >/dev/null
	press '\ue007'
	case $(js 'return document.getElementById("moment").textContent') in *deadlock*) break ;; esac
done
check "report, keys: Enter jumps to the deadlock" "$(js 'return document.getElementById("clock").textContent')" "12h 5m"
js 'document.getElementById("scrub").focus()' >/dev/null
press '\ue010'
check "report, keys: End goes to the end, counters with it" "$(js 'return document.querySelector("#clusters .total").textContent.replace(/[^0-9]/g, "")')" \
	"$("$gqsim" compare scenarios/gpu-queue-lab.yaml -o csv | sed -n 's/^idle_while_held,[^,]*,\([0-9]*\),.*/\1/p')"
js 'document.querySelector("#joblist button").focus()' >/dev/null
press '\ue007'
check "report, keys: a job tells its history" "$(js 'return String(document.querySelectorAll("#history tbody tr").length > 2 && document.activeElement.id === "history")')" true
js 'const f = document.getElementById("find"); f.value = "whole"; f.dispatchEvent(new Event("input"))' >/dev/null
check "report: jobs are found" "$(js 'return document.querySelectorAll("#joblist tbody tr").length + ""')" 1
console report

# every scenario, and what has no nodes, no queues, one column, many
open_all() { # open_all NAME OPTION...
	local name=$1
	shift
	"$gqsim" report "$@" --quiet -o "$out/$name.html" 2>"$out/$name.err" || not_ok "$name" "$(head -1 "$out/$name.err")"
	open_page "file://$out/$name.html"
	width 390
	sleep 0.3
	audit "$name, 390 px"
	width 1280
	console "$name"
	shot "$name"
	width 1280
}
for scenario in burst-pool three-teams-24-h100 first-run-gpu-only-quota own-cluster; do
	path=scenarios/$scenario.yaml
	[ -e "$path" ] || path=scenarios/$scenario/cluster.yaml
	open_all "$scenario" "$path"
done
open_all one-column scenarios/gpu-queue-lab.yaml -p kueue
open_all no-nodes scenarios/gpu-queue-lab.yaml --placement none
open_all many-columns scenarios/gpu-queue-lab.yaml -p kueue,kubernetes,resourcequota \
	--set clusterqueue/research:nvidia.com/gpu.nominalQuota=4,8,12

# allocation is not utilisation: each namespace, as compare has it
open_all utilisation scenarios/buy-or-tune.yaml
check "utilisation: each namespace as compare has it" "$(js 'const percent = (part) => (part * 100).toFixed(1) + " %", rows = arguments[0].trim().split("\n").map((l) => l.split(","));
	const shown = [...document.querySelectorAll("#charts article")].map((a) => [...a.querySelectorAll(".namespaces tbody tr")].map((r) => [...r.children].map((c) => c.textContent)));
	return shown.map((table, i) => table.map((r) => ["utilisation", "utilisation_p95"].every((key, k) => {
		const row = rows.find((f) => f[0] === "namespace:" + r[0] + ":" + key);
		return row && percent(Number(row[2 + i])) === r[2 + k];
	})).join(" ")).join("; ")' "$("$gqsim" compare scenarios/buy-or-tune.yaml -o csv)")" "true true true; true true true"
check "utilisation: of all GPUs the namespaces hold what is allocated" "$(js 'return gqsim.data().columns.map((c) => Math.abs(c.namespaces.reduce((sum, n) => sum + n.held, 0) - Number(c.exact.allocated)) < 1e-6).join(" ")')" "true true"
check "utilisation: the chart has GPUs that are busy, too" "$(js 'return gqsim.data().columns.map((c) => c.levels.busy.every((v, i) => v <= c.levels.running[i] + .01) && Math.max(...c.levels.busy) > 0).join(" ")')" "true true"

# hostile names are text
printf '%s\n' 'name,namespace,queue,submit_s,duration_s,gpus' '</script><script>window.bad=1</script>,research,research,0,10,4' \
	'<img src=x onerror=window.bad=1>,research,research,0,10,4' >"$out/hostile.csv"
"$gqsim" report scenarios/lab/cluster.yaml "$out/hostile.csv" -o "$out/hostile.html"
open_page "file://$out/hostile.html"
check "hostile names: shown as they are" "$(js 'return document.querySelector("#joblist tbody button").textContent')" '</script><script>window.bad=1</script>'
check "hostile names: nothing runs" "$(js 'return String(window.bad) + document.querySelectorAll("img").length')" undefined0
console "hostile names"

# many jobs
if [ -x "$O/tests/bench/philly_like" ]; then
	"$O/tests/bench/philly_like" 100000 90 >"$out/many.csv"
	"$gqsim" report --trace "$out/many.csv" --nodes h100=200x8 -o "$out/many.html"
	check "100,000 jobs: below 2 MB" "$(($(wc -c <"$out/many.html") < 2000000))" 1
	open_page "file://$out/many.html"
	wait_for 'return String(typeof gqsim === "object" && gqsim.data() !== null)' true
	for wide in 1280 390; do
		width $wide
		sleep 0.4
		audit "100,000 jobs, $wide px"
		shot "many-$wide"
	done
	width 1280
	check "100,000 jobs: all are there" "$(js 'return document.getElementById("found").textContent')" "100,000 of 100,000 jobs, the first 100 shown"
	check "100,000 jobs: each that waited says why" "$(js 'return gqsim.data().columns.map((c) => { let silent = 0;
		for (let i = 0; i < c.started.length; i++) if (c.started[i] > gqsim.data().jobs.submit[i] && c.events.n[i] === 0) silent++;
		return silent; })[0] + ""')" 0
	js 'document.getElementById("order").value = "wait"; document.getElementById("order").dispatchEvent(new Event("change")); document.querySelector("#joblist tbody button").click()' >/dev/null
	check "100,000 jobs: the one that waited longest says why" "$(js 'return String(/Insufficient nvidia.com/.test(document.getElementById("history").textContent))')" true
	check "100,000 jobs: who waited without a word waited its turn" "$(js 'const c = gqsim.data().columns[1], i = c.started.findIndex((t, i) => t > gqsim.data().jobs.submit[i] && c.events.n[i] === 0);
		const find = document.getElementById("find"); find.value = gqsim.data().jobs.name[i]; find.dispatchEvent(new Event("input"));
		[...document.querySelectorAll("#joblist tbody button")].find((b) => b.textContent === find.value).click();
		return String(/waited its turn/.test(document.getElementById("history").textContent))')" true
	echo "# 100,000 jobs, milliseconds of script and from frame to frame, median (most): $(jq -n --arg s "$(cat tests/web/frames.js)" '{script: $s, args: []}' | post execute/async | jq -r .value)"
	console "100,000 jobs"
fi

# ---- the lab ----

"$gqsim" lab --port 0 >"$out/lab.url" 2>"$out/lab.err" &
lab=$!
for _ in $(seq 100); do
	[ ! -s "$out/lab.url" ] || break
	sleep 0.1
done
url=$(cat "$out/lab.url")
width 1280

# story NAME SELECTOR...: clicks, then compares all the page says with what the command line
# says of the play that it saves
story() {
	local name=$1 clicks=0 why=
	shift
	open_page "$url"
	wait_for 'return document.body.dataset.actions' 0 || not_ok "$name" "the lab does not begin"
	for selector in "$@"; do
		why=$why$(click "$selector")
		clicks=$((clicks + 1))
		wait_for 'return document.body.dataset.answered' "$clicks"
	done
	check "$name: four clicks" "$clicks$why" 4
	curl -s -m 20 "$(js 'return document.getElementById("lab-save").href')" >"$out/$name.yaml"
	check "$name: figures of the command line" "$(shown_figures | plain)" \
		"$("$gqsim" compare "$out/$name.yaml" | sed -n '4,/^$/p' | sed '/^$/d; s/^  *//' | plain)"
	exact "$name" "$out/$name.yaml"
	shot "lab-$name"
	width 1280
}
cell() { js "const row = [...document.querySelectorAll('#cdfs article')].map((a) => [...a.querySelectorAll('tbody tr')].find((r) => r.firstChild.textContent === '$1')); return row.map((r) => r.children[4].textContent).join('|')"; }
figure() { js "return [...document.querySelectorAll('#figures tbody tr')].filter((r) => r.firstChild.textContent.startsWith('$1')).map((r) => r.children[1].textContent + '|' + r.children[2].textContent).join()"; }

story deadlock '[data-preset="Serving"]' '[data-preset="Ring"]' '[data-preset="Ring"]' '#lab-end'
check "deadlock: as the README has it" "$(figure Deadlocks)" "1 (2 jobs, 8 GPUs)|none"
story reclaim '[data-preset="8 trials"]' '#lab-step-10' '[data-preset="CI job"]' '#lab-end'
check "reclaim: as the README has it" "$(cell platform)" "1h 50m|5s"
check "reclaim: one job is stopped" "$(figure Preemptions)" "0 pods|1"
looks lab
js 'document.getElementById("lab-quota").open = true; document.querySelector("#lab-quota [name=value]").focus(); document.querySelector("#lab-quota [name=value]").value = "0"; document.querySelector("#lab-quota [name=field]").value = "borrowingLimit"' >/dev/null
press '\ue007'
wait_for 'return document.body.dataset.actions' 3
check "lab, keys: Enter changes a quota" "$(js 'return document.querySelector("#lab-actions li:last-child").textContent.replace(/^[^:]*: /, "")')" \
	"borrowingLimit of research (nvidia.com/gpu, a100) becomes 0"
click '#lab-undo' >/dev/null
wait_for 'return document.body.dataset.actions' 2
js 'document.getElementById("lab-submit").open = true; document.querySelector("#lab-submit [name=gpus]").value = "1001"; document.querySelector("#lab-submit form").requestSubmit()' >/dev/null
wait_for 'return String(/^Not done/.test(document.getElementById("lab-status").textContent))' true
check "lab: what cannot be is said" "$(js 'return document.getElementById("lab-status").textContent')" "Not done: pods: 1 to 1000; gpus: 0 to 1000; count: 1 to 200"
# a refused request is told to the console by Chromium itself
check "lab: the console has that alone" "$(echo '{"type":"browser"}' | post se/log | jq -r '[.value[] | select(.level == "SEVERE" or .level == "WARNING") | .message | select(contains("400 (Bad Request)") | not)] | join("; ")')" ""
click '#lab-undo' >/dev/null
wait_for 'return document.body.dataset.actions' 1
check "lab: undo takes the last action away" "$(figure Preemptions)" "0 pods|0"
click '#lab-reset' >/dev/null
wait_for 'return document.body.dataset.actions' 0
click '[data-preset="8 trials"]' >/dev/null
wait_for 'return document.body.dataset.actions' 1
js 'document.getElementById("lab-run").focus()' >/dev/null
press '\ue00d'
wait_for 'return String(document.getElementById("lab-clock").textContent !== "0s")' true
check "lab, keys: Space lets time run" "$(js 'return String(document.getElementById("lab-clock").textContent !== "0s")')" true
press '\ue00d'
wait_for 'return document.getElementById("lab-run").getAttribute("aria-pressed")' false
check "lab, keys: Space stops it" "$(js 'return document.getElementById("lab-run").textContent')" Run
console lab
kill -TERM "$lab"
wait "$lab"
check "lab: ends cleanly" "$?" 0
lab=

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
