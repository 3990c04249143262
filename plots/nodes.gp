# nodes.gp - how busy each node is over time: GPUs that work, and below GPUs held idle, as
# shares of the node's.
#
#   gqsim plot nodes scenarios/gpu-queue-lab.yaml -o nodes.svg
if (!exists("look")) look = 'plots/look.gp'
panels = columns
rows = 2
load look
unset grid
set multiplot layout 2, columns title headed
set xlabel 'time (hours)'
set ylabel 'node (of more than 96: groups)'
set cbrange [0:100]
set cblabel '% of its GPUs'
set autoscale xfix
set autoscale yfix
set yrange [*:*] reverse
stats 'nodes-1.csv' using (column('node')) nooutput
set ytics STATS_max < 9 ? 1 : ceil((STATS_max + 1) / 8.)
set border 0
unset key
do for [part in "work idle"] {
	do for [i = 1:columns] {
		set title title[i].(part eq 'work' ? ': working' : ': held idle')
		plot sprintf('nodes-%d.csv', i) using (column('time_s') / 3600):(column('node')):(column(part) * 100) with image
	}
}
unset multiplot
