import Amalgam
import Foundation
// The names that the examples of AmalgamFullText use without declaring them. See Prelude.swift.

extension Document.Columns { static let author = Column("author") }

final class LetterTokenizer: FTS5CustomTokenizer {
    static let name = "letters"
    init(db: Database, arguments: [String]) {}
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
        nText: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt { 0 }
}
