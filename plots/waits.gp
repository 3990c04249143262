# waits.gp - how long jobs wait: the share of each team's jobs that have started within a
# time. A line that ends below 100 %: the others never start.
#
#   gqsim plot waits scenarios/gpu-queue-lab.yaml -o waits.svg
if (!exists("look")) look = 'plots/look.gp'
panels = columns
rows = teams > 4 ? 2 : 1
load look
stats 'waits.csv' using (column('wait_s')) nooutput
set multiplot layout 1, columns title headed
set xlabel 'wait to start (seconds; left: 1 or less)'
set ylabel 'jobs started (%)'
set logscale x
set xrange [1:STATS_max > 10 ? STATS_max : 10]
set yrange [0:100]
do for [i = 1:columns] {
	set title title[i]
	plot for [t = 0:teams] 'waits.csv' \
	         using (column('column') == i && column('team') == t ? (column('wait_s') < 1 ? 1 : column('wait_s')) : NaN):(column('share') * 100) \
	         with steps lw (t == 0 ? 3 : 2) dt dashes(t) lc rgb (t == 0 ? '#000000' : colour(t)) title (t == 0 ? 'all' : team[t])
}
unset multiplot
