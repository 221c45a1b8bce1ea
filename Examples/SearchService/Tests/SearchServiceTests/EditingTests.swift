import Amalgam
import Foundation
import ServiceInputs
import Testing

@testable import SearchService

@Suite struct `Editing by a form` {
    @Test func `changes the document, and what a search finds`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        try await test.test { browser in
            let answer = try await browser.submit(
                [
                    "version": "1", "title": "A kingfisher", "body": "It dives.\r\nFast.", "actor": "Anna",
                    "reason": "typo",
                ],
                to: "/documents/\(id)/edit", from: "/documents/\(id)/edit")
            #expect(answer.status == 303)
            let document: DocumentBody = try await browser.get("/api/documents/\(id)").decoded()
            #expect(document.title == "A kingfisher")
            #expect(document.body == "It dives.\nFast.")
            #expect(document.version == 2)
            let found: SearchResult = try await browser.get("/api/search?q=kingfisher").decoded()
            #expect(found.hits.map(\.id) == [id])
            let gone: SearchResult = try await browser.get("/api/search?q=heron%20still").decoded()
            #expect(gone.hits.isEmpty)
        }
    }

    @Test func `changes members of the metadata by their types`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        try await test.test { browser in
            let answer = try await browser.submit(
                [
                    "version": "1", "member": "kind", "kind.kind": "text", "old.kind": "Text", "new.kind": "Bird",
                    "member": "lines", "kind.lines": "number", "old.lines": "1", "new.lines": "",
                    "added.key": "year", "added.kind": "number", "added.value": "2024",
                ], to: "/documents/\(id)/edit", from: "/documents/\(id)/edit")
            #expect(answer.status == 303)
            let document: DocumentBody = try await browser.get("/api/documents/\(id)").decoded()
            #expect(document.metadata.json == #"{"folder":"src","kind":"Bird","year":2024}"#)
        }
    }

    @Test func `refuses a value of another type`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        let answer = try await test.test { browser in
            try await browser.submit(
                ["version": "1", "added.key": "year", "added.kind": "number", "added.value": "soon"],
                to: "/documents/\(id)/edit", from: "/documents/\(id)/edit")
        }
        #expect(answer.status == 422)
        #expect(answer.text.contains("The value of year isn&#39;t a number."))
    }

    @Test func `shows both versions to the second editor, who chooses per column`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        let page = "/documents/\(id)/edit"
        try await test.test { browser in
            _ = try await browser.submit(
                ["version": "1", "title": "First", "body": "First text"], to: page, from: page)
            let second = try await browser.submit(
                ["version": "1", "title": "Second", "body": "Second text"], to: page, from: page)
            #expect(second.status == 409)
            for text in ["First", "First text", "Second", "Second text"] { #expect(second.text.contains(text)) }
            let merged = try await browser.submit(
                [
                    "version": "2", "choose.title": "mine", "title": "Second", "choose.body": "theirs",
                    "body": "Second text", "metadata.edits": "[]",
                ], to: page, from: page)
            #expect(merged.status == 303)
            let document: DocumentBody = try await browser.get("/api/documents/\(id)").decoded()
            #expect(document.title == "Second")
            #expect(document.body == "First text")
        }
    }

    @Test func `refuses a form of another site`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        let answer = try await test.test { browser in
            var browser = browser
            browser.headers[.cookie] = "visitor=stolen"
            return try await browser.send(.post, "/documents/\(id)/edit", "version=1&title=x&token=guessed")
        }
        #expect(answer.status == 403)
    }
}

@Suite struct `The history of a document` {
    @Test func `tells who changed which column, from what to what, when and why`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        try await test.test { browser in
            _ = try await browser.json(
                .patch, "/api/documents/\(id)",
                DocumentEdit(version: 1, title: "A grey heron", actor: "Anna", reason: "more precise"))
            let history: HistoryBody = try await browser.get("/api/documents/\(id)/history").decoded()
            let entry = try #require(history.entries.first)
            #expect(entry.actor == "Anna")
            #expect(entry.reason == "more precise")
            #expect(entry.changes.map(\.column) == ["title"])
            #expect(entry.changes.first?.old == .string("heron.txt"))
            #expect(entry.changes.first?.new == .string("A grey heron"))
            let page = try await browser.get("/documents/\(id)/history")
            #expect(page.text.contains(#"<li class="removed" dir="auto">heron.txt</li>"#))
            #expect(page.text.contains(#"<li class="added" dir="auto">A grey heron</li>"#))
        }
    }

    @Test func `has the document at each moment, also after its deletion`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        try await Task.sleep(for: .milliseconds(20))
        let before = Date.now
        try await Task.sleep(for: .milliseconds(20))
        try await test.test { browser in
            _ = try await browser.json(.patch, "/api/documents/\(id)", DocumentEdit(version: 1, title: "New"))
            try test.remove("src/heron.txt")
            test.service.indexer.scan()
            #expect(try await browser.get("/documents/\(id)").status == 404)
            let past = try await browser.get("/documents/\(id)?at=\(Moment.text(before))")
            #expect(past.status == 200)
            #expect(past.text.contains("heron.txt</h1>"))
            #expect(past.text.contains("A heron stands still"))
            #expect(try await browser.get("/documents/\(id)/history").status == 200)
        }
    }

    @Test func `is extended by undo and redo`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        let uri = "/api/documents/\(id)"
        try await test.test { browser in
            _ = try await browser.json(.patch, uri, DocumentEdit(version: 1, title: "New", reason: "rename"))
            #expect(try await browser.get("/documents/\(id)").text.contains("Undo: rename"))
            let undo = try await browser.submit([:], to: "/documents/\(id)/undo", from: "/documents/\(id)")
            #expect(undo.status == 303)
            let undone: DocumentBody = try await browser.get(uri).decoded()
            #expect(undone.title == "heron.txt")
            #expect(undone.version == 3)
            #expect(try await browser.json(.post, "\(uri)/redo", [String: String]()).decoded(StepBody.self).didChange)
            let redone: DocumentBody = try await browser.get(uri).decoded()
            #expect(redone.title == "New")
            #expect(
                try await browser.json(.post, "\(uri)/redo", [String: String]()).decoded(StepBody.self).didChange
                    == false)
            let found: SearchResult = try await browser.get("/api/search?q=New").decoded()
            #expect(found.hits.map(\.id) == [id])
            let history: HistoryBody = try await browser.get("\(uri)/history").decoded()
            #expect(history.entries.map(\.reason) == ["redo", "undo", "rename"])
        }
    }

    @Test func `isn't undone over a change by the file`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        try await test.test { browser in
            _ = try await browser.json(.patch, "/api/documents/\(id)", DocumentEdit(version: 1, body: "Edited"))
            try test.write("A heron flies.\n", to: "src/heron.txt")
            test.service.indexer.scan()
            let answer = try await browser.json(.post, "/api/documents/\(id)/undo", [String: String]())
            #expect(answer.status == 409)
            let document: DocumentBody = try await browser.get("/api/documents/\(id)").decoded()
            #expect(document.body == "A heron flies.\n")
        }
    }
}

@Suite struct `A moment` {
    @Test func `is the same as in the audit log, to the millisecond`() throws {
        for millisecond in 0..<1_000 {
            let stored = "2026-11-26 19:15:27." + String(1_000 + millisecond).dropFirst()
            let date = try #require(Date.fromDatabaseValue(stored.databaseValue))
            var fields = FormFields()
            fields.append("at", Moment.text(date))
            #expect(try Moment.date(fields)?.databaseValue == stored.databaseValue)
        }
    }

    @Test(arguments: ["2026-01-31T12:00", "2026-01-31T12:00:00", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"])
    func `can be written as forms and programs do`(_ text: String) throws {
        var fields = FormFields()
        fields.append("at", text)
        #expect(try Moment.date(fields) == Date(timeIntervalSince1970: 1_769_860_800))
    }
}

@Suite struct `A difference by lines` {
    @Test func `shows changed lines and two lines around them`() {
        let old = (1...9).map(String.init).joined(separator: "\n")
        let new = old.replacing("5", with: "five")
        let lines = LineDiff(old, new).lines
        #expect(lines.map(\.text) == ["…", "3", "4", "5", "five", "6", "7", "…"])
        #expect(lines.map(\.kind) == [.gap, .same, .same, .removed, .added, .same, .same, .gap])
    }

    @Test func `of equal texts is a gap`() {
        #expect(LineDiff("a\nb", "a\nb").lines.map(\.kind) == [.gap])
    }
}
