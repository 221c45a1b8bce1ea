extension Terminal {
    func report(_ engine: Engine) {
        section("Engine")
        fact("SQLite", bold(engine.version) + " of \(engine.date)")
        fact("check-in", engine.checkIn)
        fact("origin", engine.origin)
        fact("verified", engine.verification)
        fact("options", options(engine))
        fact("sealed", seal(engine))
    }

    /// The options without SQLite's own limits and defaults.
    private func options(_ engine: Engine) -> String {
        let options = engine.options.filter { !$0.hasPrefix("MAX_") && !$0.hasPrefix("DEFAULT_") }
        let choice = engine.hasCustomOptions ? "chosen by hand" : "as delivered"
        return "\(engine.options.count), \(choice): \(options.joined(separator: " "))"
    }

    /// Says what was looked at, and no more.
    private func seal(_ engine: Engine) -> String {
        engine.isSealed
            ? "yes: the dynamic linker finds no sqlite3_open in this process"
            : "not shown: the dynamic linker finds a sqlite3_open, maybe of another SQLite"
    }
}
