/* The origin of this SQLite: facts that scripts/bootstrap wrote when it built the amalgamation. */

const char *amalgam_build_checkin(void) { return AMALGAM_CHECKIN; }
const char *amalgam_build_origin(void) { return AMALGAM_ORIGIN; }
const char *amalgam_build_verification(void) { return AMALGAM_VERIFICATION; }
const char *amalgam_build_traits(void) { return AMALGAM_TRAITS; }
int amalgam_build_has_custom_options(void) { return AMALGAM_CUSTOM_OPTIONS; }
