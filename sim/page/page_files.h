/* page_files.h - the page's files, as they are built into the program (Makefile):
 * sim/page/page.html, page.css, page.js, lab.js and scenarios/lab/cluster.yaml. Texts end with a zero
 * byte.
 */
#ifndef SIM_PAGE_FILES_H
#define SIM_PAGE_FILES_H

extern const char page_html[];
extern const char page_css[];
extern const char page_js[];
extern const char page_lab_js[];
extern const char page_lab_yaml[];

#endif
