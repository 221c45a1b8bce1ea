// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The module graph, as data: one row per target, lowest first. An arrow in ARCHITECTURE.md is an entry in `imports`.
let modules: [(name: String, imports: [String])] = [
    ("AmalgamCursors", []),
    ("AmalgamDates", []),
    ("AmalgamEngine", ["CAmalgam"]),
    ("AmalgamCore", ["AmalgamCursors", "AmalgamDates", "AmalgamEngine", "CAmalgam"]),
    ("AmalgamSessions", ["AmalgamCore", "CAmalgam"]),
    ("AmalgamVirtualTables", ["AmalgamCore", "CAmalgam"]),
    ("AmalgamBlobs", ["AmalgamCore", "CAmalgam"]),
    ("AmalgamBackup", ["AmalgamCore", "CAmalgam"]),
    ("AmalgamInspection", ["AmalgamCore", "CAmalgam"]),
    ("AmalgamRecovery", ["AmalgamCore", "CAmalgam"]),
    ("AmalgamSandbox", ["AmalgamCore", "CAmalgam"]),
    ("AmalgamConcurrency", ["AmalgamBackup", "AmalgamCore", "AmalgamInspection", "CAmalgam"]),
    ("AmalgamQuery", ["AmalgamCore", "AmalgamSandbox"]),
    ("AmalgamRecords", ["AmalgamCore", "AmalgamInspection", "AmalgamQuery"]),
    ("AmalgamJSON", ["AmalgamCore", "AmalgamQuery", "AmalgamRecords"]),
    ("AmalgamFullText", ["AmalgamCore", "AmalgamQuery", "AmalgamRecords", "CAmalgam"]),
    ("AmalgamEncryption", ["AmalgamConcurrency", "AmalgamCore", "CAmalgam"]),
    ("AmalgamObservation", ["AmalgamConcurrency", "AmalgamCore", "AmalgamQuery", "AmalgamRecords"]),
    ("AmalgamMigrations", ["AmalgamBackup", "AmalgamConcurrency", "AmalgamCore", "AmalgamInspection"]),
    (
        "AmalgamAudit",
        [
            "AmalgamConcurrency", "AmalgamCore", "AmalgamQuery", "AmalgamRecords", "AmalgamSandbox", "AmalgamSessions",
            "CAmalgam",
        ]
    ),
    ("AmalgamDump", ["AmalgamConcurrency", "AmalgamCore", "AmalgamQuery"]),
    ("AmalgamReplication", ["AmalgamConcurrency", "AmalgamCore", "AmalgamInspection", "CAmalgam"]),
    (
        "Amalgam",
        [
            "AmalgamAudit", "AmalgamBackup", "AmalgamBlobs", "AmalgamConcurrency", "AmalgamCore", "AmalgamCursors",
            "AmalgamDates", "AmalgamDump", "AmalgamEncryption", "AmalgamEngine", "AmalgamFullText",
            "AmalgamInspection", "AmalgamJSON", "AmalgamMigrations", "AmalgamObservation", "AmalgamQuery",
            "AmalgamRecords", "AmalgamRecovery", "AmalgamReplication", "AmalgamSandbox", "AmalgamSessions",
            "AmalgamVirtualTables",
        ]
    ),
    // A product for tests of applications, which Amalgam doesn't export.
    (
        "AmalgamTesting",
        [
            "AmalgamConcurrency", "AmalgamCore", "AmalgamEngine", "AmalgamInspection", "AmalgamMigrations",
            "AmalgamQuery", "CAmalgamTesting",
        ]
    ),
]

// Test targets mirror the sources; three of them prove what holds when something fails, one is built as applications are
// whose code is of the main actor by default, and one sees the public interface only, as other packages do.
let tests: [(name: String, of: [String])] = [
    ("AdoptionTests", ["Amalgam", "AmalgamTesting", "CAmalgam"]),
    ("AmalgamAuditTests", ["Amalgam", "TestSupport"]),
    ("AmalgamBackupTests", ["Amalgam", "TestSupport"]),
    ("AmalgamBlobsTests", ["Amalgam", "CAmalgam", "TestSupport"]),
    (
        "AmalgamConcurrencyTests",
        [
            "Amalgam", "ChildProcesses", "PublisherProbes", "TestSupport", "amalgam-external-writer", "amalgam-soak",
        ]
    ),
    ("AmalgamCoreTests", ["Amalgam", "TestSupport"]),
    ("AmalgamCursorsTests", ["Amalgam", "TestSupport"]),
    ("AmalgamDatesTests", ["Amalgam", "TestSupport"]),
    ("AmalgamDumpTests", ["Amalgam"]),
    (
        "AmalgamEncryptionTests",
        ["Amalgam", "CAmalgam", "CFaults", "ChildProcesses", "TestSupport", "amalgam-cipher-tool"]
    ),
    ("AmalgamEngineTests", ["Amalgam", "CAmalgam", "TestSupport"]),
    (
        "AmalgamFullTextTests", ["Amalgam", "CAmalgam", "ChildProcesses", "TestSupport", "amalgam-external-writer"]
    ),
    ("AmalgamInspectionTests", ["Amalgam", "CAmalgam", "TestSupport"]),
    ("AmalgamJSONTests", ["Amalgam", "TestSupport"]),
    (
        "AmalgamMigrationsTests",
        ["Amalgam", "CAmalgam", "ChildProcesses", "PublisherProbes", "TestSupport", "amalgam-external-writer"]
    ),
    ("AmalgamObservationTests", ["Amalgam", "PublisherProbes", "TestSupport"]),
    ("AmalgamQueryTests", ["Amalgam", "TestSupport"]),
    ("AmalgamRecordsTests", ["Amalgam", "TestSupport"]),
    ("AmalgamRecoveryTests", ["Amalgam", "CAmalgam", "TestSupport"]),
    ("AmalgamReplicationTests", ["Amalgam", "ChildProcesses", "TestSupport", "amalgam-replication-host"]),
    ("AmalgamSandboxTests", ["Amalgam", "CAmalgam", "TestSupport"]),
    ("AmalgamSessionsTests", ["Amalgam", "TestSupport"]),
    ("AmalgamTestingTests", ["Amalgam", "AmalgamTesting"]),
    ("AmalgamTests", ["Amalgam", "TestSupport"]),
    ("AmalgamVirtualTablesTests", ["Amalgam", "CAmalgam", "TestSupport"]),
    ("FaultTests", ["Amalgam", "CFaults", "CKeyedFiles"]),
    ("FuzzTests", ["FuzzTargets", "TestSupport"]),
    ("GuideTests", ["Amalgam", "AmalgamTesting", "CAmalgam"]),
    ("KillTests", ["Amalgam", "ChildProcesses", "amalgam-kill-writer"]),
    ("MacroFaultTests", ["Amalgam", "CFaults", "CKeyedFiles"]),
    ("MacroRecordsTests", ["Amalgam", "TestSupport"]),
    ("MacroTests", ["Amalgam", "ShadowedNames", "TestSupport"]),
    ("MainActorTests", ["Amalgam"]),
    ("PowerLossTests", ["Amalgam", "CAmalgam", "CKeyedFiles", "PowerPrograms", "TestSupport"]),
    ("ReentrancyTests", ["ChildProcesses", "amalgam-reentrancy"]),
    ("RequestOracleTests", ["ChildProcesses", "amalgam-requests"]),
    ("SimulationTests", ["ChildProcesses", "Simulation", "amalgam-simulate"]),
]

// Modules with publishers, and their tests. Where there is no Combine, publishers are those of OpenCombine, and exist for
// packages that enable the trait of this name. Others do not fetch it.
let publishing: Set = [
    "AmalgamConcurrency", "AmalgamConcurrencyTests", "AmalgamMigrations", "AmalgamMigrationsTests",
    "AmalgamObservation",
    "AmalgamObservationTests",
]

// Tests of other targets, which run with records that macros have written.
let macroRecordTests: Set = ["MacroFaultTests", "MacroRecordsTests"]

// The test targets that are built: all of them, unless a script names the few that it needs.
let wantedTests = Context.environment["AMALGAM_TEST_TARGETS"].map { Set($0.split(separator: ",").map(String.init)) }

// Traits that set one of SQLite's compile options: the column TRAIT of vendor/sqlite/options, which a package can't read when it
// is a dependency. A test compares the two.
let optionTraits: [(trait: String, macro: String, value: String, description: String)] = [
    ("ForeignKeys", "SQLITE_DEFAULT_FOREIGN_KEYS", "1", "C connections enforce foreign keys at first."),
    ("RBU", "SQLITE_ENABLE_RBU", "1", "Bulk updates in steps."),
    ("ScanStatus", "SQLITE_ENABLE_STMT_SCANSTATUS", "1", "Time and rows of each loop of a query."),
    ("MaxAttached", "SQLITE_MAX_ATTACHED", "125", "125 attached databases instead of 10."),
    ("MaxVariables", "SQLITE_MAX_VARIABLE_NUMBER", "250000", "250,000 arguments of a statement instead of 32,766."),
    ("SecureDelete", "SQLITE_SECURE_DELETE", "1", "Deleted content is overwritten."),
    ("Soundex", "SQLITE_SOUNDEX", "1", "soundex(): how an English word sounds."),
    ("TempStoreInMemory", "SQLITE_TEMP_STORE", "3", "Temporary tables, indexes and sorters are in memory."),
]

let otherTraits: Set<Trait> = [
    .trait(name: "Encryption", description: "Encrypted databases, with SQLCipher. On Linux, needs libssl-dev."),
    .trait(name: "Macros", description: "@Record: records without boilerplate, read by position. Builds swift-syntax."),
    .trait(name: "OpenCombine", description: "Publishers where there is no Combine: those of OpenCombine."),
    .trait(
        name: "Replication",
        description: "Continuous backup and read replicas, with Litestream. Linux and macOS."),
]

let openCombine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch"].map { product in
    .product(
        name: product, package: "OpenCombine",
        condition: .when(platforms: [.linux, .android, .windows], traits: ["OpenCombine"]))
}

// The macros, and what only they and their tests need.
let macros: [Target.Dependency] = [.target(name: "AmalgamMacros", condition: .when(traits: ["Macros"]))]
let expansion: [Target.Dependency] = [.target(name: "AmalgamExpansion", condition: .when(traits: ["Macros"]))]

func swiftSyntax(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"])) }
}

// What the targets of the fuzzer call: not all modules, so that its build takes less time.
let fuzzed: [Target.Dependency] = [
    "AmalgamBackup", "AmalgamConcurrency", "AmalgamCore", "AmalgamFullText", "AmalgamInspection", "AmalgamJSON",
    "AmalgamMigrations", "AmalgamQuery", "AmalgamRecords", "AmalgamSandbox", "AmalgamSessions", "CAmalgam",
    "CRankedFuzz", "FuzzedServiceInputs",
]

// The executable of scripts/proof/fuzz. Its main() is that of libFuzzer, so no other build can link it.
let fuzzer: [Target] =
    Context.environment["AMALGAM_FUZZ"] == "1"
    ? [.executableTarget(name: "amalgam-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Entry")] : []

// What AmalgamReplication and its tests need. swift-subprocess doesn't build for iOS.
let replication: [Target.Dependency] =
    [
        ("Logging", "swift-log"), ("Metrics", "swift-metrics"), ("ServiceLifecycle", "swift-service-lifecycle"),
        ("UnixSignals", "swift-service-lifecycle"), ("Subprocess", "swift-subprocess"),
    ].map { product, package in
        .product(
            name: product, package: package, condition: .when(platforms: [.linux, .macOS], traits: ["Replication"]))
    } + [
        .product(
            name: "SystemPackage", package: "swift-system",
            condition: .when(platforms: [.linux], traits: ["Replication"]))
    ]

// The checks of the library's own state, which end the process: see Sources/AmalgamCore/Errors/Invariant.swift. Only
// scripts/swift.sh asks for them, so that a package that depends on this one never has them.
let hasChecks = Context.environment["AMALGAM_CHECKS"] == "1"

let swiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
    ] + (hasChecks ? [.define("AMALGAM_CHECKS", .when(configuration: .debug))] : [])

// scripts/proof/plain tests the plain ways next to the fast paths: see Sources/AmalgamCore/FastPaths.
let coreSettings: [SwiftSetting] = Context.environment["AMALGAM_PLAIN"] == "1" ? [.define("AMALGAM_PLAIN")] : []

let package = Package(
    name: "Amalgam",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Amalgam", targets: ["Amalgam"]),
        .library(name: "AmalgamTesting", targets: ["AmalgamTesting"]),
        .library(name: "CAmalgam", targets: ["CAmalgam"]),
    ],
    traits: otherTraits.union(
        optionTraits.map { .trait(name: $0.trait, description: "\($0.description) \($0.macro)=\($0.value)") }),
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", .upToNextMinor(from: "0.14.0")),
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "603.0.0"..<"604.0.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "CAmalgam",
            cSettings: [.define("AMALGAM_CIPHER", .when(traits: ["Encryption"]))]
                + (hasChecks ? [.define("AMALGAM_CHECKS", .when(configuration: .debug))] : [])
                + optionTraits.map { .define($0.macro, to: $0.value, .when(traits: [$0.trait])) },
            linkerSettings: [
                .linkedLibrary("m", .when(platforms: [.linux, .android])),
                .linkedLibrary("crypto", .when(platforms: [.linux, .android], traits: ["Encryption"])),
                .linkedFramework(
                    "Security",
                    .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS], traits: ["Encryption"])),
            ]),
        .target(name: "CAmalgamTesting", dependencies: ["CAmalgam"]),
    ]
        + modules.map { module in
            .target(
                name: module.name,
                dependencies: module.imports.map { .byName(name: $0) }
                    + (publishing.contains(module.name) ? openCombine : [])
                    + (module.name == "AmalgamRecords" ? macros : [])
                    + (module.name == "AmalgamReplication" ? replication : []),
                swiftSettings: swiftSettings + (module.name == "AmalgamCore" ? coreSettings : []))
        }
        + [
            .target(
                name: "AmalgamExpansion",
                dependencies: swiftSyntax(
                    "SwiftDiagnostics", "SwiftIfConfig", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
                    "SwiftSyntaxMacros"),
                swiftSettings: swiftSettings),
            .macro(
                name: "AmalgamMacros",
                dependencies: expansion + swiftSyntax("SwiftCompilerPlugin", "SwiftSyntaxMacros"),
                swiftSettings: swiftSettings),
            // For tests only: memory and files that fail on demand, programs on a disk that loses power, programs that are
            // started, stopped and killed, threads and signals, and subscribers that ask for values on demand.
            .target(
                name: "CFaults", dependencies: ["CAmalgam", "CAmalgamTesting", "CKeyedFiles"], path: "Tests/CFaults"),
            .target(name: "CKeyedFiles", dependencies: ["CAmalgam"], path: "Tests/CKeyedFiles"),
            .target(
                name: "PowerPrograms", dependencies: ["Amalgam", "CAmalgamTesting"], path: "Tests/PowerPrograms",
                swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-power", dependencies: ["PowerPrograms"], path: "Tests/PowerLoss",
                swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-kill-writer", dependencies: ["Amalgam", "CKeyedFiles"], path: "Tests/KillWriter",
                swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-cipher-tool", dependencies: ["Amalgam", "CAmalgam", "CFaults"], path: "Tests/CipherTool",
                swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-external-writer", dependencies: ["Amalgam", "CAmalgam", "CKeyedFiles"],
                path: "Tests/ExternalWriter", swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-soak", dependencies: ["Amalgam", "CFaults", "ChildProcesses"], path: "Tests/Soak",
                swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-reentrancy", dependencies: ["Amalgam", "CAmalgam", "CKeyedFiles", "ChildProcesses"],
                path: "Tests/Reentrancy", swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-recover", dependencies: ["Amalgam", "CAmalgam"], path: "Tests/RecoveryProof",
                swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-requests", dependencies: ["Amalgam"], path: "Tests/RequestOracle",
                packageAccess: false, swiftSettings: swiftSettings),
            .executableTarget(
                // CFaults informs ThreadSanitizer about the Mutex of swift-subprocess.
                name: "amalgam-replication-host", dependencies: ["Amalgam", "CFaults"] + replication,
                path: "Tests/ReplicationHost",
                swiftSettings: swiftSettings),
            .target(
                name: "ShadowedNames", dependencies: ["Amalgam"], path: "Tests/ShadowedNames",
                swiftSettings: swiftSettings),
            .target(
                name: "Simulation", dependencies: ["Amalgam", "CFaults", "ChildProcesses"], path: "Tests/Simulation",
                swiftSettings: swiftSettings),
            .executableTarget(
                name: "amalgam-simulate", dependencies: ["Simulation"], path: "Tests/SimulationTool",
                swiftSettings: swiftSettings),
            .target(name: "ChildProcesses", path: "Tests/ChildProcesses", swiftSettings: swiftSettings),
            .target(
                name: "TestSupport", dependencies: ["Amalgam", "AmalgamTesting", "CAmalgam", "CFaults", "CKeyedFiles"],
                path: "Tests/TestSupport",
                swiftSettings: swiftSettings),
            // The inputs of the search service are parsed by a module that imports nothing, and has another name there.
            .target(
                name: "FuzzedServiceInputs", path: "Examples/SearchService/Sources/ServiceInputs",
                swiftSettings: swiftSettings),
            .target(name: "CRankedFuzz", dependencies: ["CAmalgam"], path: "Tests/Fuzz/Ranked"),
            .target(
                name: "FuzzTargets", dependencies: fuzzed, path: "Tests/Fuzz/Targets", swiftSettings: swiftSettings),
            .target(
                name: "PublisherProbes", dependencies: openCombine, path: "Tests/PublisherProbes",
                swiftSettings: swiftSettings),
        ]
        + fuzzer
        + [
            .testTarget(
                name: "AmalgamExpansionTests",
                dependencies: expansion
                    + swiftSyntax(
                        "SwiftIfConfig", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion",
                        "SwiftSyntaxMacros", "SwiftSyntaxMacrosGenericTestSupport"),
                swiftSettings: swiftSettings)
        ].filter { wantedTests?.contains($0.name) ?? true }
        + tests.filter { wantedTests?.contains($0.name) ?? true }.map { test in
            .testTarget(
                name: test.name,
                dependencies: test.of.map { .byName(name: $0) }
                    + (publishing.contains(test.name) ? openCombine : [])
                    + (["AmalgamReplicationTests", "GuideTests"].contains(test.name) ? replication : []),
                packageAccess: test.name != "AdoptionTests",
                swiftSettings: swiftSettings
                    + (test.name == "MainActorTests" ? [.defaultIsolation(MainActor.self)] : [])
                    + (macroRecordTests.contains(test.name) ? [.define("MACRO_RECORDS")] : []))
        },
    swiftLanguageModes: [.v6]
)

// The library, and what the wanted tests depend on: scripts/proof/mutate builds nothing else.
if Context.environment["AMALGAM_NEEDED_ONLY"] == "1" {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    func need(_ name: String) {
        guard let target = targets[name], needed.insert(name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): need(name)
            default: break
            }
        }
    }
    for name in ["Amalgam", "AmalgamTesting", "CAmalgam"] + (wantedTests ?? []) { need(name) }
    package.targets.removeAll { !needed.contains($0.name) }
}
