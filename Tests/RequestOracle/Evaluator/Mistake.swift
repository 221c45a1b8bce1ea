/// A mistake of the evaluator, on purpose. A test shows that the search notices it.
enum Mistake: String {
    /// NULL is equal to NULL.
    case null
    /// All strings are compared as bytes.
    case collation
    /// Values aren't converted before they are compared.
    case affinity
    /// LEFT JOIN leaves out rows without a match.
    case join
    /// PARTITION BY is ignored.
    case window
    /// UNION keeps duplicates.
    case compound

    /// The mistake that the command line asks for.
    static let current: Mistake? = {
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: "--mistake"), index + 1 < arguments.count else { return nil }
        return Mistake(rawValue: arguments[index + 1])
    }()
}
