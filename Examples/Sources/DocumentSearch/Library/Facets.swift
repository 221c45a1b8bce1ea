import Amalgam

/// The number of documents for each language, and for each folder.
struct Facets {
    let languages: [FacetCount<String>]
    let folders: [FacetCount<String>]
}

extension Library {
    /// Returns the facets of the documents that a query finds; of all documents without a query.
    func facets(of query: Query?, limit: Int = 6) throws -> Facets {
        try pool.read { db in
            let documents = try query.map { try Document.matching($0, db) } ?? Document.all()
            return try Facets(
                languages: languages(documents).limit(limit).fetchAll(db),
                folders: folders(documents).limit(limit).fetchAll(db))
        }
    }

    private func languages(
        _ documents: QueryInterfaceRequest<Document>
    ) -> QueryInterfaceRequest<FacetCount<String>> {
        documents.facet(by: Document.Columns.metadata["$.language"], as: String.self)
    }

    /// Counts documents by folder. A document is in folders at any depth: `json_each` has one row for each of them.
    private func folders(
        _ documents: QueryInterfaceRequest<Document>
    ) -> QueryInterfaceRequest<FacetCount<String>> {
        let folder = TableAlias<JSONElement>()
        return
            documents
            .joining(required: Document.association { $0.metadata.each(atPath: ["folders"]) }.aliased(folder))
            .facet(by: folder.value, as: String.self)
    }
}
