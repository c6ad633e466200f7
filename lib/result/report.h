/*
 * report.h: a run as a page to look at.
 *
 * One HTML file that needs nothing else: no network, no other file, and for the numbers and charts
 * no script.  Its static parts are report.html, report.css and report.js beside this file, embedded
 * when fanline is built.  Where report.html has <!--=NAME-->, the part NAME of report.c is put.
 *
 * The page stays below 2 MB, however many records there were.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_REPORT_H
#define FANLINE_RESULT_REPORT_H

#include "base/err.h"
#include "result/facts.h"

/* Write the page to the file PATH. Returns 0, or -1 with E filled. */
int report_write(const char *path, const struct facts *f, struct err *e);

#endif
