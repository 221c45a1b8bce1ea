// swift-tools-version: 6.2
import PackageDescription

// A package by itself: the macros build swift-syntax, which the other examples don't need.
let package = Package(
    name: "MacroNotes",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Amalgam", path: "../..", traits: ["Macros"])],
    targets: [
        .executableTarget(
            name: "notes", dependencies: [.product(name: "Amalgam", package: "Amalgam")], path: "Notes")
    ],
    swiftLanguageModes: [.v6]
)
