import Amalgam
import Foundation
import Testing

@testable import SearchService

@Suite struct `Operations` {
    @Test func `report health and metrics`() async throws {
        try await TestService().test { browser in
            let health: HealthBody = try await browser.get("/health").decoded()
            #expect(health.status == "ok")
            #expect(health.documents == 3)
            let metrics = try await browser.get("/metrics").text
            #expect(metrics.contains("# TYPE http_request_duration_seconds histogram\n"))
            #expect(
                metrics.contains(
                    "http_request_duration_seconds_count{method=\"GET\",route=\"/health\",status=\"200\"} 1\n"))
            #expect(metrics.contains("# TYPE sqlite_reads_total counter\nsqlite_reads_total "))
            #expect(try await browser.get("/operations").text.contains("WAL file"))
        }
    }

    @Test func `make a backup that can be restored, and refuse a damaged one`() async throws {
        let test = try TestService()
        let file = test.folder.appending(path: "backup.sqlite")
        try await test.test { browser in
            let refused = try await browser.send(.post, "/operations/backup", "")
            #expect(refused.status == 403)
        }
        let backup = try await Backup.make(of: test.service.store)
        let bytes = try #require(try backup.open().readToEnd())
        #expect(bytes.count == backup.size)
        try bytes.write(to: file)
        let target = test.folder.appending(path: "restored.sqlite").path(percentEncoded: false)
        try SearchService.restore(file.path(percentEncoded: false), to: target)
        let restored = try DatabaseQueue(path: target)
        #expect(try await restored.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM document") } == 3)
        var damaged = bytes
        for index in 4_096..<min(damaged.count, 60_000) { damaged[index] = 0x55 }
        try damaged.write(to: file)
        #expect(throws: (any Error).self) { try SearchService.restore(file.path(percentEncoded: false), to: target) }
        #expect(try await restored.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM document") } == 3)
    }

    @Test func `download the backup from the page`() async throws {
        let test = try TestService()
        let answer = try await test.test { browser in
            try await browser.submit([:], to: "/operations/backup", from: "/operations")
        }
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix("SQLite format 3"))
        #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment; filename=\"search-service-") == true)
    }
}
