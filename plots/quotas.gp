# quotas.gp - GPUs that each team uses over time (under Kueue: of its quota; else: bound to
# its pods), with its nominal quota as a dashed line.
#
#   gqsim plot quotas scenarios/gpu-queue-lab.yaml -o quotas.svg
if (!exists("look")) look = 'plots/look.gp'
panels = columns
rows = teams > 4 ? 2 : 1
load look
set multiplot layout 1, columns
set xlabel 'time (hours)'
set ylabel 'GPUs'
set key below
set yrange [0:*]
do for [i = 1:columns] {
	set title title[i]
	file = levels(i)
	plot for [t = 1:teams] file using (column('time_s') / 3600):(column(sprintf('team_%d_used', t))) \
	         with steps lw 2 lc rgb colour(t) title team[t], \
	     for [t = 1:teams] file using (column('time_s') / 3600):(column(sprintf('team_%d_nominal', t)) < 0 ? NaN : column(sprintf('team_%d_nominal', t))) \
	         with steps lw 1 dt 2 lc rgb colour(t) notitle
}
unset multiplot
