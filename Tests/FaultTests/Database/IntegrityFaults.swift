import Amalgam
import AmalgamCore
import AmalgamInspection
import Testing

/// A check of the pages finds no problem in an intact database, or throws an error.
@Suite struct IntegrityFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func pages(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            attempt.note(try attempt.read { db in try db.pageCheck() })
        }
    }
}
