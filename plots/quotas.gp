# quotas.gp - GPUs that each team uses over time (under Kueue: of its quota; else: bound to
# its pods); thin: its nominal quota.
#
#   gqsim plot quotas scenarios/gpu-queue-lab.yaml -o quotas.svg
if (!exists("look")) look = 'plots/look.gp'
panels = columns
rows = teams > 4 ? 2 : 1
load look
# One scale for all panels.
most = 0
do for [i = 1:columns] {
	do for [t = 1:teams] {
		stats levels(i) using (column(sprintf('team_%d_used', t)) > column(sprintf('team_%d_nominal', t)) ? column(sprintf('team_%d_used', t)) : column(sprintf('team_%d_nominal', t))) nooutput
		most = STATS_max > most ? STATS_max : most
	}
}
set multiplot layout 1, columns title headed
set xlabel 'time (hours)'
set ylabel 'GPUs used (thin: nominal quota)'
set yrange [0:most * 1.05]
do for [i = 1:columns] {
	set title title[i]
	file = levels(i)
	plot for [t = 1:teams] file using (column('time_s') / 3600):(column(sprintf('team_%d_used', t))) \
	         with steps lw 2.5 dt dashes(t) lc rgb colour(t) title team[t], \
	     for [t = 1:teams] file using (column('time_s') / 3600):(column(sprintf('team_%d_nominal', t)) < 0 ? NaN : column(sprintf('team_%d_nominal', t))) \
	         with steps lw 1 lc rgb colour(t) notitle
}
unset multiplot
