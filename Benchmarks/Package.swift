// swift-tools-version: 6.2
import PackageDescription

// `scripts/bench --no-peer` sets this, so that measuring against C alone needs no other package.
let withPeer = Context.environment["AMALGAM_BENCH_PEER"] != "no"

// The two Swift programs are the same sources, `Sources/Shared`, linked into both target folders.
// Only `Library.swift` differs: it says which library the sources are compiled against.
let peer = (
    dependencies: [Package.Dependency.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")],
    targets: [
        Target.executableTarget(
            name: "bench-peer",
            dependencies: ["Workload", .product(name: "GRDB", package: "GRDB.swift")])
    ]
)

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Amalgam", path: "..", traits: ["Macros"])] + (withPeer ? peer.dependencies : []),
    targets: [
        .target(name: "Workload"),
        .target(name: "Floor", dependencies: ["Workload", .product(name: "CAmalgam", package: "Amalgam")]),
        .executableTarget(
            name: "bench-c",
            dependencies: ["Floor", "Workload", .product(name: "CAmalgam", package: "Amalgam")]),
        .executableTarget(
            name: "bench-amalgam",
            dependencies: [
                "Workload", .product(name: "Amalgam", package: "Amalgam"),
                .product(name: "CAmalgam", package: "Amalgam"),
            ]),
        .executableTarget(name: "bench-quality", dependencies: [.product(name: "Amalgam", package: "Amalgam")]),
    ] + (withPeer ? peer.targets : []),
    swiftLanguageModes: [.v6]
)
