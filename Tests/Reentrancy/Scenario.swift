/// One scenario: the fixtures, the uses of the connection, and the actions of callbacks during these uses. It is a
/// value with a textual form, which can be replayed: `observer blob; updateFunction; function:vacuum
/// willChange:insert!`.
struct Scenario: Equatable {
    var fixtures: [Fixture]
    var uses: [ConnectionUse]
    var steps: [Step]

    /// An action in the first call of a callback that no earlier step has used.
    struct Step: Equatable {
        var callback: Callback
        var action: Action

        /// Whether an error of the action is thrown by the callback. Otherwise it is caught.
        var throwsErrors: Bool
    }

    init(fixtures: [Fixture], uses: [ConnectionUse], steps: [Step]) {
        self.fixtures = fixtures
        self.uses = uses
        self.steps = steps
    }

    /// The scenario of a seed.
    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let fixtures = Fixture.allCases.filter { _ in generator.number(below: 4) == 0 }
        let uses = (0...generator.number(below: 3)).map { _ in generator.choose(ConnectionUse.allCases) }
        let callbacks = uses.flatMap(\.callbacks) + fixtures.flatMap(\.callbacks)
        let steps = (0...generator.number(below: 5)).map { _ in
            Step(
                callback: generator.choose(callbacks.isEmpty ? Callback.allCases : callbacks),
                action: generator.choose(Action.allCases), throwsErrors: generator.number(below: 3) == 0)
        }
        self.init(fixtures: fixtures, uses: uses, steps: steps)
    }
}

// MARK: - Text

extension Scenario: CustomStringConvertible {
    var description: String {
        [
            fixtures.map(\.rawValue), uses.map(\.rawValue), steps.map(\.description),
        ].map { $0.joined(separator: " ") }.joined(separator: "; ")
    }

    /// Parses a description. Unknown words are an error.
    init(_ text: String) throws {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.split(separator: " ").map(String.init)
        }
        guard parts.count == 3 else { throw InvalidText(text) }
        func read<Word: RawRepresentable>(_ words: [String]) throws -> [Word] where Word.RawValue == String {
            try words.map { word in
                guard let value = Word(rawValue: word) else { throw InvalidText(word) }
                return value
            }
        }
        try self.init(
            fixtures: read(parts[0]), uses: read(parts[1]), steps: parts[2].map { try Step($0) })
    }

    struct InvalidText: Error, CustomStringConvertible {
        let text: String

        init(_ text: String) { self.text = text }

        var description: String { "not a part of a scenario: \(text)" }
    }
}

extension Scenario.Step: CustomStringConvertible {
    var description: String { "\(callback.rawValue):\(action.rawValue)\(throwsErrors ? "!" : "")" }

    init(_ text: String) throws {
        let throwsErrors = text.hasSuffix("!")
        let words = text.dropLast(throwsErrors ? 1 : 0).split(separator: ":").map(String.init)
        guard words.count == 2, let callback = Callback(rawValue: words[0]), let action = Action(rawValue: words[1])
        else {
            throw Scenario.InvalidText(text)
        }
        self.init(callback: callback, action: action, throwsErrors: throwsErrors)
    }
}

// MARK: - Shrinking

extension Scenario {
    /// Scenarios that lack one element each.
    var shorter: [Scenario] {
        func without<Element>(_ path: WritableKeyPath<Scenario, [Element]>) -> [Scenario] {
            self[keyPath: path].indices.map { index in
                var copy = self
                copy[keyPath: path].remove(at: index)
                return copy
            }
        }
        return without(\.steps) + without(\.uses) + without(\.fixtures)
    }

    /// Removes elements while the scenario fails without them.
    func shrunk(_ fails: (Scenario) throws -> Bool) rethrows -> Scenario {
        for candidate in shorter where try fails(candidate) { return try candidate.shrunk(fails) }
        return self
    }
}

/// A generator of pseudorandom numbers from a seed: SplitMix64.
struct SeededGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Returns a number from 0, below a limit.
    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func choose<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }
}
