# For scripts that build with several traits. SwiftPM 6.3 passes traits to the compiler in the order of a set, which changes
# with the seed of its hashes. Then all modules are compiled again, although nothing has changed:
# https://github.com/swiftlang/swift-package-manager/issues/10525. With a fixed seed, the order is always the same.

# usage: swift_build ARGUMENT…
# `swift build` with a fixed seed.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

# usage: swift_test TRAITS ARGUMENT…
# `swift test` with these traits. The tests run with random seeds, as programs do.
swift_test() {
    swift_build --build-tests --traits "$1" && swift test --skip-build --traits "$1" "${@:2}"
}
