// swift-tools-version: 6.2
import PackageDescription

// A program that links the system's SQLite and Amalgam into one process. It is a package of its own, so that the
// library itself never depends on the system's SQLite.
let package = Package(
    name: "TwoLibraries",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Amalgam", path: "../..")],
    targets: [
        .systemLibrary(name: "CSystemSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // A module of its own: two different sqlite3.h cannot be seen by the Swift compiler in one module.
        .target(name: "SystemSQLite", dependencies: ["CSystemSQLite"]),
        .executableTarget(
            name: "two-libraries",
            dependencies: ["SystemSQLite", .product(name: "Amalgam", package: "Amalgam")]),
    ],
    swiftLanguageModes: [.v6]
)
