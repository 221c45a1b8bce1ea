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

    /// SQLite reports the options that the build sets, and those that SQLite sets itself. Its limits and defaults are
    /// counted but not listed.
    private func options(_ engine: Engine) -> String {
        let listed = engine.options.filter { !$0.hasPrefix("MAX_") && !$0.hasPrefix("DEFAULT_") }
        let choice = engine.hasCustomOptions ? "chosen by hand" : "as delivered"
        let others = "\(engine.options.count - listed.count) limits and defaults not listed"
        return "\(listed.count), \(choice); \(others): \(listed.joined(separator: " "))"
    }

    /// Describes the result of the check only.
    private func seal(_ engine: Engine) -> String {
        engine.isSealed
            ? "yes: the dynamic linker finds no sqlite3_open in this process"
            : "not shown: the dynamic linker finds a sqlite3_open, maybe of another SQLite"
    }
}
