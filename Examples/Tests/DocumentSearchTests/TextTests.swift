import Testing

@testable import DocumentSearch

/// The exact characters of the output.
@Suite struct TextTests {
    @Test(arguments: [
        ("a\u{1B}[31mb\u{7}", "a\u{FFFD}[31mb\u{FFFD}"),
        ("right\u{202E}left", "right\u{FFFD}left"),
        ("été ✓ 漢", "été ✓ 漢"),
    ])
    func controlCharactersAreNotShown(text: String, printable: String) {
        #expect(text.printable == printable)
    }

    @Test func markedWordsSurviveTheBreakOfALine() {
        let text = MarkedText(pieces: [
            MarkedText.Piece(text: "one ", isMarked: false), MarkedText.Piece(text: "two\n three", isMarked: true),
            MarkedText.Piece(text: " four", isMarked: false),
        ])
        let lines = text.lines(of: 8).map { $0.map { $0.map(\.text).joined() } }
        #expect(lines == [["one", "two"], ["three"], ["four"]])
        #expect(text.words.map(\.[0].isMarked) == [false, true, true, false])
    }

    @Test func aDifferenceIsWhatDiffers() {
        let difference = Difference("the old\ntext", "the new\ntext")
        #expect(difference.before(40) { "<\($0)>" } == "the <old>⏎text")
        #expect(difference.after(40) { "<\($0)>" } == "the <new>⏎text")
        #expect(Difference("é", "è").before(40) { "<\($0)>" } == "<é>")
        #expect(Difference("aé", "ae").after(40) { "<\($0)>" } == "a<e>")
        #expect(Difference("同 ê", "同 ë").after(40) { "<\($0)>" } == "同 <ë>")
        #expect(Difference("ꀀ", "ꂀ").after(40) { "<\($0)>" } == "<ꂀ>")
        #expect(Difference("ĀĀ", "ĀĀĀ").after(40) { "<\($0)>" } == "ĀĀ<Ā>")
        #expect(Difference("same", "same").after(40) { "<\($0)>" } == "same")
        #expect(Difference("aa", "aaa").after(40) { "<\($0)>" } == "aa<a>")
    }

    @Test(arguments: [
        ("/*\n** 2001 May 15\n** No copyright.\n**\n***\n** It is\n**  the shell. */", "It is the shell."),
        ("#!/bin/sh\n# Runs it.\n", "Runs it."),
        ("let x = 1\n", "file.c"),
        ("", "file.c"),
    ])
    func titles(text: String, title: String) {
        #expect(Title.of(text, path: "dir/file.c") == title)
    }
}
