/* place.h - where something was written, for errors and findings that come later. */
#ifndef SIM_PLACE_H
#define SIM_PLACE_H

struct place {
	const char *file;  /* borrowed, outlives the load; NULL: nowhere in particular */
	long line, column; /* 1-based; 0 unknown */
};

#endif
