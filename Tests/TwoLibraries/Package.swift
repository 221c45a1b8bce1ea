// swift-tools-version: 6.2
import PackageDescription

// A program that links the system's SQLite and Amalgam into one process. It is a separate package, so that the library
// itself never depends on the system's SQLite.
let package = Package(
    name: "TwoLibraries",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Amalgam", path: "../..")],
    targets: [
        .systemLibrary(name: "CSystemSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // A separate module: the Swift compiler can't import two different sqlite3.h in one module.
        .target(name: "SystemSQLite", dependencies: ["CSystemSQLite"]),
        .executableTarget(
            name: "two-libraries",
            dependencies: ["SystemSQLite", .product(name: "Amalgam", package: "Amalgam")]),
    ],
    swiftLanguageModes: [.v6]
)
