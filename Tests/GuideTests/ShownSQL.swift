import Amalgam
import Foundation
import Synchronization
import Testing

/// Compares the SQL in the comments of a guide with the SQL that ran.
///
/// A comment that begins with a keyword of SQL, such as `// SELECT * FROM "player"`, must be the SQL of a statement. One
/// that contains `…` is left out.
final class ShownSQL: Sendable {
    private let statements = Mutex<[String]>([])
    private let file: String

    init(file: String = #filePath) {
        self.file = file
    }

    /// A configuration of connections whose statements are recorded.
    var configuration: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in self.record(db) }
        return configuration
    }

    /// Records the statements of a queue from now on.
    func follow(_ dbQueue: DatabaseQueue) {
        dbQueue.writeWithoutTransaction { db in record(db) }
    }

    private func record(_ db: Database) {
        db.trace { event in
            guard case .statement(let statement) = event else { return }
            self.statements.withLock { $0.append(statement.expandedSQL) }
        }
    }

    /// Expects that the SQL shown in parts of the guide was run.
    func expect(_ parts: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let source = try String(contentsOfFile: file, encoding: .utf8)
        let ran = statements.withLock { $0 }
        for part in parts {
            let code = source.components(separatedBy: "// guide: \(part)\n").dropFirst()
                .map { $0.components(separatedBy: "// end\n")[0] }
            let shown = code.joined().split(separator: "\n").compactMap(Self.sql)
            #expect(!shown.isEmpty, "\(part) shows no SQL", sourceLocation: sourceLocation)
            for sql in shown {
                #expect(
                    ran.contains(sql), "\(sql) is shown, but these ran:\n\(ran.joined(separator: "\n"))",
                    sourceLocation: sourceLocation)
            }
        }
    }

    private static func sql(in line: Substring) -> String? {
        guard let comment = line.range(of: "// ") else { return nil }
        let sql = line[comment.upperBound...].trimmingCharacters(in: .whitespaces)
        let keywords = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "WITH"]
        return keywords.contains { sql.hasPrefix($0 + " ") } && !sql.contains("…") ? sql : nil
    }
}
