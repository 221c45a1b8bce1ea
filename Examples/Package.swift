// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Amalgam", path: "..")],
    targets: [
        .target(name: "DocumentSearch", dependencies: [.product(name: "Amalgam", package: "Amalgam")]),
        .executableTarget(name: "search", dependencies: ["DocumentSearch"]),
        .testTarget(
            name: "DocumentSearchTests",
            dependencies: ["DocumentSearch", .product(name: "Amalgam", package: "Amalgam")]),
    ],
    swiftLanguageModes: [.v6]
)
