// swift-tools-version: 6.2
import PackageDescription

let amalgam: Target.Dependency = .product(name: "Amalgam", package: "Amalgam")
let testing: Target.Dependency = .product(name: "AmalgamTesting", package: "Amalgam")

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Amalgam", path: "..")],
    targets: [
        .executableTarget(name: "hello", dependencies: [amalgam], path: "Hello", exclude: ["README.md"]),
        .executableTarget(name: "tour", dependencies: [amalgam], path: "Tour", exclude: ["README.md"]),
        .executableTarget(name: "notes", dependencies: [amalgam], path: "Notes", exclude: ["README.md"]),
        .target(name: "DocumentSearch", dependencies: [amalgam]),
        .executableTarget(name: "search", dependencies: ["DocumentSearch"]),
        .testTarget(name: "DocumentSearchTests", dependencies: ["DocumentSearch", amalgam, testing]),
        .testTarget(name: "ProgramTests", dependencies: ["hello", "tour", "notes", amalgam, testing]),
    ],
    swiftLanguageModes: [.v6]
)
