import Foundation

// Several processes use one database file intensively. scripts/proof/soak runs it.
//
// usage: amalgam-soak --path FILE [--seconds N] [--processes N] [--journal wal|delete|truncate|persist]

func fail(_ message: String, code: CInt) -> Never {
    FileHandle.standardError.write(Data("amalgam-soak: \(message)\n".utf8))
    exit(code)
}

do {
    let plan = try Plan(arguments: Array(CommandLine.arguments.dropFirst()))
    if let number = plan.worker {
        try await Worker(plan, number: number).run()
    } else {
        try Soak(plan).run()
    }
} catch let refusal as Plan.Refusal {
    fail("\(refusal)", code: 2)
} catch {
    fail("\(error)", code: 1)
}
