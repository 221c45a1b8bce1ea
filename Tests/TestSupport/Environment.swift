import Foundation

/// Whether scripts/proof/sanitize runs the tests: they are several times slower.
package let isSanitized = environment("AMALGAM_SANITIZED") != nil

package func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
