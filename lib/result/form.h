/*
 * form.h: what stands in the results for a record.
 *
 * Forms: reference/distributed-map.md 1.6 (seven members, Input and Output as JSON text in
 * strings) and 2.8 (AWS); transformations: 2.8.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_FORM_H
#define FANLINE_RESULT_FORM_H

#include "base/buf.h"
#include "base/span.h"
#include "result/record.h"

#include <stdbool.h>

enum form_records {
    FORM_CLOUDFLOW, /* the service's seven members, in its order */
    FORM_FULL,      /* the record as it came */
    FORM_AWS        /* as AWS Step Functions exports them */
};

enum form_transform {
    FORM_NONE,    /* records */
    FORM_COMPACT, /* outputs */
    FORM_FLATTEN  /* outputs; of an array its elements */
};

/* What names of AWS's resources begin with: no region, no account. */
#define FORM_ARN "arn:aws:states:::"

struct form {
    enum form_records records;
    enum form_transform transform;
    bool lines;        /* LF stand between elements; else commas */
    bool outputs_only; /* transform what did not succeed too; else it stays a record */
};

/*
 * What stands in the results for R, which was read from LINE: any number of elements with commas
 * or LF between them; none where it is empty.  Lies in LINE or SCRATCH, whose content is replaced.
 */
struct span form_of(const struct form *f, const struct record *r, struct span line,
                    struct buf *scratch);

#endif
