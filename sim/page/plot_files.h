/* plot_files.h - the scripts of plots/, as they are built into the program (Makefile). */
#ifndef SIM_PLOT_FILES_H
#define SIM_PLOT_FILES_H

extern const char plot_look[];
extern const char plot_timeline[];
extern const char plot_quotas[];
extern const char plot_waits[];
extern const char plot_nodes[];
extern const char plot_shares[];

#endif
