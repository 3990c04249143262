# timeline.gp - GPUs over time: of a comparison, from `gqsim plot timeline`, or of one run,
# from `gqsim run --timeline FILE`.
#
#   gqsim plot timeline scenarios/gpu-queue-lab.yaml -o timeline.svg
#   gqsim run -p kueue scenarios/gpu-queue-lab.yaml --timeline timeline.csv
#   gnuplot -e "input='timeline.csv'; output='timeline.svg'" plots/timeline.gp
if (!exists("input")) input = 'timeline.csv'
if (!exists("output")) output = 'timeline.svg'
if (!exists("look")) look = 'plots/look.gp'
if (!exists("columns")) {
	columns = 1
	array title[1] = ['GPUs over time']
	levels(i) = input
}
panels = columns
rows = 1.7
load look
# One scale for all panels of a row.
gpus = 1
asked = 1
do for [i = 1:columns] {
	stats levels(i) using (column('gpus')) nooutput
	gpus = STATS_max > gpus ? STATS_max : gpus
	stats levels(i) using (column('pending_gpus')) nooutput
	asked = STATS_max > asked ? STATS_max : asked
}
set multiplot layout 2, columns title headed
set xlabel 'time (hours)'
set ylabel 'GPUs'
set yrange [0:gpus * 1.05]
do for [i = 1:columns] {
	set title title[i]
	plot levels(i) using (column('time_s') / 3600):'gpus' with steps lw 1 lc rgb '#000000' title 'capacity', \
	     '' using (column('time_s') / 3600):'running' with steps lw 2 lc rgb '#0072B2' title 'working', \
	     '' using (column('time_s') / 3600):'idle' with steps lw 2 lc rgb '#D55E00' title 'held idle'
}
set yrange [0:asked * 1.05]
do for [i = 1:columns] {
	set title title[i]
	plot levels(i) using (column('time_s') / 3600):'pending_gpus' with steps lw 2 lc rgb '#009E73' title 'asked for by waiting jobs'
}
unset multiplot
