extension FTS5Terms {
    /// A term that tells a document from others.
    public struct SignificantTerm: Hashable, Sendable {
        /// The term.
        public var term: String

        /// How many times the document has the term.
        public var occurrenceCount: Int

        /// How many documents have the term.
        public var documentCount: Int

        /// How much the term tells: the more often it is in the document, and the fewer documents have it, the more.
        public var weight: Double
    }
}
