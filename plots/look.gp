# look.gp - what all figures have in common; the other scripts load it.
#
# The ending of output chooses PNG, PDF or SVG. Colours are Okabe and Ito's, and the palette
# is close to cividis: colour-blind readers can tell both apart.
#
#   output   the file to write
#   panels   panels beside each other (columns of the comparison); rows of them
if (!exists("panels")) panels = 1
if (!exists("rows")) rows = 1
if (!exists("heading")) heading = ''
wide = 560 * panels + 60
high = 300 * rows + 90
ending = strlen(output) > 4 ? output[strlen(output) - 3:strlen(output)] : ''
if (ending eq '.png') {
	set terminal pngcairo noenhanced size wide, high font 'sans-serif,11' background rgb 'white'
} else {
	if (ending eq '.pdf') {
		set terminal pdfcairo noenhanced size wide / 100., high / 100. font 'sans-serif,11' background rgb 'white'
	} else {
		set terminal svg standalone noenhanced size wide, high font 'sans-serif,12' background rgb 'white'
	}
}
set output output
set datafile separator ','
set grid ytics lc rgb '#dddddd'
array okabe[8] = ['#E69F00', '#56B4E9', '#009E73', '#CC79A7', '#0072B2', '#D55E00', '#F0E442', '#8C8C8C']
colour(i) = okabe[(int(i) - 1) % 8 + 1]
# More than eight teams: the next have the same colours, dashed. 0: all teams.
dashes(i) = i < 1 ? 1 : 1 + (int(i) - 1) / 8 % 4
set border 3 lc rgb '#555555'
set tics nomirror
set key below height 1 samplen 2
# Above all panels; room for it, and for the key below.
headed = heading eq '' ? ' ' : heading
set palette defined (0 '#00224e', 0.25 '#434e6c', 0.5 '#7d7c78', 0.75 '#bcad6b', 1 '#fee838')
