/* plot_data.h - a comparison as the CSV files that the scripts in plots/ draw.
 *
 *   columns.gp     how many columns and teams there are, and what they are called
 *   levels-N.csv   GPUs over time of column N, as --timeline has them, in at most 2,000 rows;
 *                  then of each team t: team_t_nominal (-1: none), _used, _borrowed, _lent
 *   waits.csv      column,team,wait_s,share: jobs of a team (0: all) that started within wait_s
 *   nodes-N.csv    time_s,node,work,idle: shares of a node's GPUs, or of a group of nodes
 *   shares.csv     useful, unfinished, lost, idle, free: GPU-seconds, a row a column
 */
#ifndef SIM_PLOT_DATA_H
#define SIM_PLOT_DATA_H

#include "sim/report/report.h"

/* Into a folder that is there. ERR_IO. */
enum err_code plot_data_write(const struct report *report, const char *folder, struct err *err);

#endif
