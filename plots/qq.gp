# qq.gp - a fitted workload against the trace it was fitted to, quantile by quantile, from
# `gqsim gen --fit TRACE --qq FILE`. On the diagonal the fit is right.
#
#   gqsim gen --fit philly.csv -w philly.yaml --qq qq.csv
#   gnuplot -e "input='qq.csv'; output='qq.svg'; team='research'" plots/qq.gp
#
# team: one of the file's (default: all); what: durations (default) or arrivals.
# Colours are Okabe and Ito's, which colour-blind readers can tell apart.
if (!exists("input")) input = 'qq.csv'
if (!exists("output")) output = 'qq.svg'
if (!exists("team")) team = ''
if (!exists("what")) what = 'durations'
set datafile separator ','
set terminal svg size 600,600 font 'sans-serif,12' background rgb 'white'
set output output
set title sprintf('%s%s: fitted against observed', what, team eq '' ? '' : ' of '.team)
set xlabel 'observed (seconds)'
set ylabel 'fitted (seconds)'
set logscale xy
set format xy '10^{%L}'
set key top left
set grid lc rgb '#dddddd'
wanted(t, w) = (team eq '' || t eq team) && w eq what
plot x with lines lw 1 lc rgb '#000000' title 'the same', \
     input using (wanted(stringcolumn('team'), stringcolumn('what')) ? column('observed') : NaN):(column('fitted')) \
         with points pt 7 ps 0.4 lc rgb '#0072B2' title 'quantiles'
