/// Whether the code in the folders `FastPaths` is used. Each fast path has a plain implementation next to it, with the
/// same results.
///
/// `scripts/proof/plain` builds the package without fast paths (`AMALGAM_PLAIN=1`), and tests the plain
/// implementations.
#if AMALGAM_PLAIN
package let usesFastPaths = false
#else
package let usesFastPaths = true
#endif
