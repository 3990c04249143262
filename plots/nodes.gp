# nodes.gp - how busy each node is over time: GPUs that work, and below GPUs held idle, as
# shares of the node's.
#
#   gqsim plot nodes scenarios/gpu-queue-lab.yaml -o nodes.svg
if (!exists("look")) look = 'plots/look.gp'
panels = columns
rows = 2
load look
unset grid
set multiplot layout 2, columns
set xlabel 'time (hours)'
set ylabel 'node (from the first)'
set cbrange [0:100]
set cblabel '% of its GPUs'
set autoscale xfix
set autoscale yfix
set yrange [*:*] reverse
set format y '%.0f'
unset key
do for [part in "work idle"] {
	do for [i = 1:columns] {
		set title title[i].(part eq 'work' ? ': working' : ': held idle')
		plot sprintf('nodes-%d.csv', i) using (column('time_s') / 3600):(column('node')):(column(part) * 100) with image
	}
}
unset multiplot
