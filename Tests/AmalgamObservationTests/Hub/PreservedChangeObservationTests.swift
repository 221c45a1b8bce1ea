import Amalgam
import TestSupport
import Testing

/// A statement that fails with `OR FAIL` or `RAISE(FAIL)` outside of a transaction commits the changes before the
/// conflict.
@Suite struct PreservedChangeObservationTests {
    private static let failures = [
        "INSERT OR FAIL INTO player (id, name) VALUES (1, 'Anna'), (1, 'Ben'), (3, 'Cleo')",
        "INSERT INTO player (id, name) VALUES (1, 'Anna'), (2, 'nobody'), (3, 'Cleo')",
        "UPDATE OR FAIL player SET id = id % 2 + 10",
    ]

    @Test(arguments: Store.allCases, failures)
    func valuesAreDelivered(_ store: Store, _ sql: String) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER refusal AFTER INSERT ON player WHEN new.name = 'nobody' BEGIN
                          SELECT RAISE(FAIL, 'refused');
                        END
                        """)
                if sql.hasPrefix("UPDATE") {
                    for name in ["Anna", "Ben", "Cleo"] { try db.addPlayer(name) }
                }
            }
            let observation = ValueObservation.tracking { db in
                try Int.fetchAll(db, sql: "SELECT id FROM player ORDER BY id")
            }
            let recorder = Recorder<[Int]>()
            var cancellables: [AnyDatabaseCancellable] = []
            for delivery in [ValueObservationDelivery.latest, .everyCommit] {
                for trigger in [ValueObservationTrigger.writes, .changes] {
                    cancellables.append(
                        recorder.start(observation.delivering(delivery).triggered(by: trigger), in: writer))
                }
            }
            try recorder.wait(count: 4)
            let (regions, ends) = (Box(0), EventLog())
            let region = DatabaseRegionObservation(tracking: Table("player")).start(in: writer) {
                recorder.append($0)
            } onChange: { _ in
                regions.value += 1
            }
            writer.writeWithoutTransaction { db in
                db.add(transactionObserver: ends)
                #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                #expect(!db.isInsideTransaction)
            }
            let rows = try writer.read { db in try Int.fetchAll(db, sql: "SELECT id FROM player ORDER BY id") }
            try recorder.wait(for: "\(rows) of each observation") { $0.suffix(4).allSatisfy { $0 == rows } }
            #expect(regions.value == 1)
            #expect(ends.take().suffix(2) == ["willCommit", "didCommit"])
            region.cancel()
            for cancellable in cancellables { cancellable.cancel() }
        }
    }
}
