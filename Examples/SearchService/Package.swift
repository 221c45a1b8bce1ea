// swift-tools-version: 6.2
import PackageDescription

let amalgam: Target.Dependency = .product(name: "Amalgam", package: "Amalgam")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")

let package = Package(
    name: "SearchService",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "search-service", targets: ["search-service"])],
    dependencies: [
        .package(name: "Amalgam", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // What clients send, parsed. The fuzzers of the package Amalgam compile it, too: Tests/Fuzz.
        .target(name: "ServiceInputs", swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
        .target(
            name: "SearchService",
            dependencies: [
                "ServiceInputs", amalgam, hummingbird,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.copy("Resources")]),
        .executableTarget(
            name: "search-service",
            dependencies: [
                "SearchService", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "SearchServiceTests",
            dependencies: [
                "SearchService", "ServiceInputs", amalgam, hummingbird,
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
