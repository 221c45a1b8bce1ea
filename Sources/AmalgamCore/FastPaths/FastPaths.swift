/// Whether the code in the folders named `FastPaths` is used. Next to each fast path, there is a plain implementation
/// with the same results.
///
/// `scripts/proof/plain` builds the package without fast paths (`AMALGAM_PLAIN=1`), and tests the plain
/// implementations.
#if AMALGAM_PLAIN
package let usesFastPaths = false
#else
package let usesFastPaths = true
#endif
