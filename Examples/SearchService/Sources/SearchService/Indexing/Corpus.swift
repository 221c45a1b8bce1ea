/// Where documents come from.
protocol Corpus: Sendable {
    /// Names the corpus: a database belongs to one.
    var name: String { get }

    /// Compares the corpus with the database, and updates the database. It is called again after each pause.
    func scan(into store: Store, status: IndexStatus) throws
}
