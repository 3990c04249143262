# shares.gp - what became of all GPU-hours: useful work, lost work, held idle, free.
#
#   gqsim plot shares scenarios/gpu-queue-lab.yaml -o shares.svg
if (!exists("look")) look = 'plots/look.gp'
panels = columns > 2 ? 1.5 : 1
load look
set title heading
set style data histograms
set style histogram rowstacked
set style fill solid 1 border lc rgb '#ffffff'
set boxwidth 0.6
set ylabel 'GPU-hours'
set key outside right top vertical
set yrange [0:*]
set xrange [-0.6:columns - 0.4]
set xtics ()
do for [i = 1:columns] { set xtics add (title[i] i - 1) }
plot 'shares.csv' using (column('useful') / 3600) lc rgb '#0072B2' title 'useful', \
     '' using (column('unfinished') / 3600) lc rgb '#56B4E9' title 'not finished', \
     '' using (column('lost') / 3600) lc rgb '#CC79A7' title 'lost', \
     '' using (column('idle') / 3600) lc rgb '#D55E00' title 'held idle', \
     '' using (column('free') / 3600) lc rgb '#DDDDDD' title 'free'
