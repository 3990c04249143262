# timeline.gp - GPUs over time, from `gqsim run --timeline FILE`.
#
#   gqsim run -p kueue scenarios/gpu-queue-lab.yaml --timeline timeline.csv
#   gnuplot -e "input='timeline.csv'; output='timeline.svg'" plots/timeline.gp
#
# Colours are Okabe and Ito's, which colour-blind readers can tell apart.
if (!exists("input")) input = 'timeline.csv'
if (!exists("output")) output = 'timeline.svg'
set datafile separator ','
set terminal svg size 900,420 font 'sans-serif,12' background rgb 'white'
set output output
set title 'GPUs over time'
set xlabel 'time (hours)'
set ylabel 'GPUs'
set key outside right top
set grid ytics lc rgb '#dddddd'
set xrange [0:*]
set yrange [0:*]
plot input using (column('time_s')/3600):'gpus' with steps lw 1 lc rgb '#000000' title 'capacity', \
     '' using (column('time_s')/3600):'running' with steps lw 2 lc rgb '#0072B2' title 'running', \
     '' using (column('time_s')/3600):'idle' with steps lw 2 lc rgb '#D55E00' title 'held but idle', \
     '' using (column('time_s')/3600):'pending_gpus' with steps lw 1 dt 2 lc rgb '#009E73' title 'asked by waiting jobs'
