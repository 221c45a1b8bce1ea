# For scripts that build with several traits. SwiftPM 6.3 passes traits to the compiler in the order of a set, which changes
# with the seed of its hashes. Then all modules are compiled again, although nothing has changed:
# https://github.com/swiftlang/swift-package-manager/issues/10525. With a fixed seed, the order is always the same.

# With AMALGAM_CHECKS, debug builds check the library's own state: see Package.swift. Like the traits, the variable must be the
# same for all scripts that build in .build.

# usage: swift_build ARGUMENT…
# `swift build` with a fixed seed, and with checks.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 AMALGAM_CHECKS=1 swift build "$@"; }

# usage: swift_test TRAITS ARGUMENT…
# `swift test` with these traits. The tests run with random seeds, as programs do.
swift_test() {
    swift_build --build-tests --traits "$1" && swift test --skip-build --traits "$1" "${@:2}"
}
