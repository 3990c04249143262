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
load look
set multiplot layout 1, columns
set xlabel 'time (hours)'
set ylabel 'GPUs'
set key below
set yrange [0:*]
do for [i = 1:columns] {
	set title title[i]
	file = levels(i)
	plot file using (column('time_s') / 3600):'gpus' with steps lw 1 lc rgb '#000000' title 'capacity', \
	     '' using (column('time_s') / 3600):'running' with steps lw 2 lc rgb '#0072B2' title 'working', \
	     '' using (column('time_s') / 3600):'idle' with steps lw 2 lc rgb '#D55E00' title 'held idle', \
	     '' using (column('time_s') / 3600):'pending_gpus' with steps lw 1 dt 2 lc rgb '#009E73' title 'asked by waiting jobs'
}
unset multiplot
