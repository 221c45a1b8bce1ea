/*
** The programs of a statement that may be running. While a trigger or a foreign key action runs, `aOp` of its Vdbe is
** the program of the trigger. The frames of the Vdbe hold the programs that wait for its end, the outermost of them the
** program of the statement. The programs of all triggers are also in the list `pProgram`.
*/

typedef struct amalgam_instructions {
    const VdbeOp *operations;
    int count;
} amalgam_instructions;

/* The instructions of the statement, without those of its triggers. */
static amalgam_instructions amalgam_main_program(const Vdbe *vdbe) {
    const VdbeFrame *frame = vdbe->pFrame;
    if (frame == 0) return (amalgam_instructions){vdbe->aOp, vdbe->nOp};
    while (frame->pParent != 0) frame = frame->pParent;
    return (amalgam_instructions){frame->aOp, frame->nOp};
}

/* The instructions that run now. They belong to the statement, or to one of its triggers. */
static amalgam_instructions amalgam_innermost_program(const Vdbe *vdbe) {
    return (amalgam_instructions){vdbe->aOp, vdbe->nOp};
}

/* Calls a function for each instruction of one program, until a call returns 1. */
static int amalgam_find_in_program(
    amalgam_instructions program, int (*matches)(const VdbeOp *operation, const void *context), const void *context
) {
    for (int i = 0; i < program.count; i++) {
        if (matches(&program.operations[i], context)) return 1;
    }
    return 0;
}

/* Calls a function for each instruction of a statement and its triggers, until a call returns 1. */
static int amalgam_find_instruction(
    const Vdbe *vdbe, int (*matches)(const VdbeOp *operation, const void *context), const void *context
) {
    if (amalgam_find_in_program(amalgam_main_program(vdbe), matches, context)) return 1;
    for (const SubProgram *program = vdbe->pProgram; program != 0; program = program->pNext) {
        const amalgam_instructions trigger = {program->aOp, program->nOp};
        if (amalgam_find_in_program(trigger, matches, context)) return 1;
    }
    return 0;
}
