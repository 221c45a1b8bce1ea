import AmalgamCore
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

@Suite(.watchdog)
struct SerialConnectionTests {
    private func makeConnection(_ configuration: Configuration = .tested) throws -> SerialConnection {
        try SerialConnection(path: ":memory:", label: "Test", configuration: configuration)
    }

    @Test func accessesRunInTheOrderOfTheirCalls() throws {
        let connection = try makeConnection()
        let (log, goOn, done) = (Log<Int>(), Signal(), Signal())
        connection.async { _ in try? goOn.wait() }
        for index in 0..<100 { connection.async { _ in log.append(index) } }
        connection.async { _ in done.fire() }
        goOn.fire()
        try done.wait()
        #expect(log.elements == Array(0..<100))
    }

    @Test func theThreadOfAnAccessIsRecognised() throws {
        let (first, second) = (try makeConnection(), try makeConnection())
        #expect(!first.isCurrent)
        try first.sync { _ in
            #expect(first.isCurrent && !second.isCurrent)
            try second.sync { _ in
                #expect(first.isCurrent && second.isCurrent)
                try onThreads(1) { _ in #expect(!first.isCurrent && !second.isCurrent) }
            }
            #expect(first.isCurrent && !second.isCurrent)
        }
        #expect(!first.isCurrent)
        let done = Signal()
        first.async { _ in
            #expect(first.isCurrent)
            done.fire()
        }
        try done.wait()
    }

    @Test func anErrorEndsTheAccess() throws {
        let connection = try makeConnection()
        #expect(throws: Oops()) { try connection.sync { _ in throw Oops() } }
        #expect(!connection.isCurrent)
        #expect(throws: Oops()) { try connection.throwingSync { _ in throw Oops() } }
        #expect(connection.sync { _ in 1 } == 1)
    }

    @Test(arguments: [false, true])
    func accessesRunOnTheTargetQueue(hasWriteTarget: Bool) throws {
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "target", attributes: .concurrent)
        target.setSpecific(key: key, value: "target")
        let writeTarget = DispatchQueue(label: "writeTarget")
        writeTarget.setSpecific(key: key, value: "writeTarget")
        let connection = try makeConnection(
            .tested {
                $0.targetQueue = target
                if hasWriteTarget { $0.writeTargetQueue = writeTarget }
            })
        let expected = hasWriteTarget ? "writeTarget" : "target"
        #expect(connection.sync { _ in DispatchQueue.getSpecific(key: key) } == expected)
        let done = Signal()
        connection.async { _ in
            #expect(DispatchQueue.getSpecific(key: key) == expected)
            done.fire()
        }
        try done.wait()
    }

    @Test func closingInsideAnAccess() throws {
        let connection = try makeConnection()
        try connection.sync { db in
            try connection.close()
            #expect(db.sqliteConnection == nil)
            try databaseError(.SQLITE_MISUSE) { try db.execute(sql: "SELECT 1") }
        }
        try connection.close()
    }
}
