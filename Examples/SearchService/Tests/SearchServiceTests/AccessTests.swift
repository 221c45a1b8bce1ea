import Foundation
import ServiceInputs
import Testing

@testable import SearchService

@Suite struct `Access` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)")

    private func keyed() throws -> (TestService, String) {
        let key = try AccessKey.create(at: folder)
        let file = folder
        return (try TestService { $0.keyFile = file }, key)
    }

    @Test func `to editing is open on the loopback address without a key`() async throws {
        let answer = try await TestService().test { try await $0.get("/operations") }
        #expect(answer.status == 200)
    }

    @Test func `to editing is off on other addresses without a key`() async throws {
        let test = try TestService { $0.host = "0.0.0.0" }
        let id = try test.id("src/heron.txt")
        try await test.test { browser in
            #expect(try await browser.get("/operations").status == 403)
            #expect(try await browser.get("/metrics").status == 403)
            #expect(try await browser.get("/documents/\(id)/edit").status == 403)
            let edit = try await browser.json(.patch, "/api/documents/\(id)", DocumentEdit(version: 1, title: "x"))
            #expect(edit.status == 403)
            #expect(try await browser.json(.post, "/api/backup", [String: String]()).status == 403)
            #expect(try await browser.get("/?q=otter").status == 200)
        }
    }

    @Test func `needs the key if there is one`() async throws {
        let (test, key) = try keyed()
        let id = try test.id("src/heron.txt")
        try await test.test { browser in
            var browser = browser
            for wrong in ["Bearer x", "Bearer ", "Basic \(key)", key] {
                browser.headers[.authorization] = wrong
                #expect(try await browser.get("/metrics").status == 403)
            }
            browser.headers[.authorization] = "Bearer \(key)"
            #expect(try await browser.get("/metrics").status == 200)
            let edit = try await browser.json(.patch, "/api/documents/\(id)", DocumentEdit(version: 1, title: "x"))
            #expect(edit.status == 200)
        }
    }

    @Test func `of a person is by a session, with a new cookie`() async throws {
        let (test, key) = try keyed()
        try await test.test { browser in
            let wrong = try await browser.submit(["key": "x"], to: "/sign-in", from: "/sign-in")
            #expect(wrong.status == 403)
            let right = try await browser.submit(["key": key], to: "/sign-in", from: "/sign-in")
            #expect(right.status == 303)
            let cookie = try #require(right.headers[.setCookie])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            var signedIn = browser
            signedIn.headers[.cookie] = String(cookie.prefix { $0 != ";" })
            #expect(try await signedIn.get("/operations").status == 200)
            #expect(try await browser.get("/operations").status == 403)
            _ = try await signedIn.submit([:], to: "/sign-out", from: "/")
            #expect(try await signedIn.get("/operations").status == 403)
        }
    }

    @Test func `keys are stored as a hash that only the owner can read`() throws {
        let key = try AccessKey.create(at: folder)
        let text = try String(contentsOf: folder, encoding: .utf8)
        #expect(!text.contains(key))
        let permissions = try FileManager.default.attributesOfItem(atPath: folder.path(percentEncoded: false))
        #expect(permissions[.posixPermissions] as? Int == 0o600)
        #expect(try AccessKey(file: folder).matches(key))
        #expect(try AccessKey(file: folder).matches(key + "x") == false)
    }

    @Test func `by the API without a key needs JSON, which other sites can't send`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        let answer = try await test.test { browser in
            var browser = browser
            browser.headers[.contentType] = "text/plain"
            return try await browser.send(.post, "/api/documents/\(id)/undo", "{}")
        }
        #expect(answer.status == 415)
    }

    @Test(arguments: [
        ("localhost:8080", true), ("127.0.0.1", true), ("[::1]:8080", true), ("evil.example:8080", false),
        ("localhost.evil.example", false), ("", false),
    ])
    func `on the loopback address is by its names only`(_ authority: String, _ isAccepted: Bool) {
        #expect(HostCheck(hosts: HostCheck.loopback).accepts(authority) == isAccepted)
    }

    @Test func `is limited to so many requests`() async throws {
        let limiter = RateLimiter(perMinute: 60)
        let now = ContinuousClock.now
        #expect((0..<20).filter { _ in limiter.allows("a", now: now) }.count == 15)
        #expect(limiter.allows("b", now: now))
        #expect(limiter.allows("a", now: now + .seconds(1)))
        #expect(!limiter.allows("a", now: now + .seconds(1)))
        let test = try TestService { $0.requestsPerMinute = 4 }
        let statuses = try await test.test { browser in
            [try await browser.get("/api/status").status, try await browser.get("/api/status").status]
        }
        #expect(statuses == [200, 429])
    }
}

@Suite struct `Every answer` {
    @Test(arguments: ["/", "/nothing", "/api/search?q=a", "/static/style.css", "/documents/1"])
    func `has security headers`(_ path: String) async throws {
        let answer = try await TestService().test { try await $0.get(path) }
        let policy = answer.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
        #expect(!policy.contains("unsafe"))
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }

    @Test(arguments: ["/static/../Resources.swift", "/static/%2e%2e%2fopenapi.json", "/static/..%2f..%2fetc%2fpasswd"])
    func `serves no other file`(_ path: String) async throws {
        #expect(try await TestService().test { try await $0.get(path) }.status == 404)
    }
}
