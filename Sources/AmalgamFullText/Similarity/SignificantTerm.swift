extension FTS5Terms {
    /// A term that distinguishes a document from others.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// for term in try vocabulary.significantTerms(db, ofDocument: 12) {
    ///     print(term.term, term.occurrenceCount, term.documentCount, term.weight)
    /// }
    /// ```
    public struct SignificantTerm: Hashable, Sendable {
        /// The term.
        public var term: String

        /// The number of occurrences of the term in the document.
        public var occurrenceCount: Int

        /// The number of documents with the term.
        public var documentCount: Int

        /// The significance of the term. It increases with the number of occurrences in the document, and decreases
        /// with the number of documents that have the term.
        public var weight: Double
    }
}
