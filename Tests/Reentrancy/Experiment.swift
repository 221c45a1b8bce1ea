/// One experiment: what is alive, what is done, and what callbacks do meanwhile. It is a value with a text, which can be
/// replayed: `observer blob; updateFunction; function:vacuum willChange:insert!`.
struct Experiment: Equatable {
    var circumstances: [Circumstance]
    var uses: [ConnectionUse]
    var steps: [Step]

    /// An act of the first call of a callback that no earlier step has taken.
    struct Step: Equatable {
        var callback: Callback
        var act: Act

        /// Whether an error of the act leaves the callback. It is caught otherwise.
        var throwsErrors: Bool
    }

    init(circumstances: [Circumstance], uses: [ConnectionUse], steps: [Step]) {
        self.circumstances = circumstances
        self.uses = uses
        self.steps = steps
    }

    /// The experiment that a seed stands for.
    init(seed: UInt64) {
        var dice = Dice(seed: seed)
        let circumstances = Circumstance.allCases.filter { _ in dice.roll(4) == 0 }
        let uses = (0...dice.roll(3)).map { _ in dice.choose(ConnectionUse.allCases) }
        let callbacks = uses.flatMap(\.callbacks) + circumstances.flatMap(\.callbacks)
        let steps = (0...dice.roll(5)).map { _ in
            Step(
                callback: dice.choose(callbacks.isEmpty ? Callback.allCases : callbacks),
                act: dice.choose(Act.allCases), throwsErrors: dice.roll(3) == 0)
        }
        self.init(circumstances: circumstances, uses: uses, steps: steps)
    }
}

// MARK: - Text

extension Experiment: CustomStringConvertible {
    var description: String {
        [
            circumstances.map(\.rawValue), uses.map(\.rawValue), steps.map(\.description),
        ].map { $0.joined(separator: " ") }.joined(separator: "; ")
    }

    /// Reads a description. Words that aren't known are an error.
    init(_ text: String) throws {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.split(separator: " ").map(String.init)
        }
        guard parts.count == 3 else { throw BadText(text) }
        func read<Word: RawRepresentable>(_ words: [String]) throws -> [Word] where Word.RawValue == String {
            try words.map { word in
                guard let value = Word(rawValue: word) else { throw BadText(word) }
                return value
            }
        }
        try self.init(
            circumstances: read(parts[0]), uses: read(parts[1]), steps: parts[2].map { try Step($0) })
    }

    struct BadText: Error, CustomStringConvertible {
        let text: String

        init(_ text: String) { self.text = text }

        var description: String { "not a part of an experiment: \(text)" }
    }
}

extension Experiment.Step: CustomStringConvertible {
    var description: String { "\(callback.rawValue):\(act.rawValue)\(throwsErrors ? "!" : "")" }

    init(_ text: String) throws {
        let throwsErrors = text.hasSuffix("!")
        let words = text.dropLast(throwsErrors ? 1 : 0).split(separator: ":").map(String.init)
        guard words.count == 2, let callback = Callback(rawValue: words[0]), let act = Act(rawValue: words[1]) else {
            throw Experiment.BadText(text)
        }
        self.init(callback: callback, act: act, throwsErrors: throwsErrors)
    }
}

// MARK: - Shrinking

extension Experiment {
    /// Experiments that lack one element each.
    var shorter: [Experiment] {
        func without<Element>(_ path: WritableKeyPath<Experiment, [Element]>) -> [Experiment] {
            self[keyPath: path].indices.map { index in
                var copy = self
                copy[keyPath: path].remove(at: index)
                return copy
            }
        }
        return without(\.steps) + without(\.uses) + without(\.circumstances)
    }

    /// Leaves elements out as long as the experiment fails without them.
    func shrunk(_ fails: (Experiment) throws -> Bool) rethrows -> Experiment {
        for candidate in shorter where try fails(candidate) { return try candidate.shrunk(fails) }
        return self
    }
}

/// Numbers that follow from a seed: SplitMix64.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0, below a limit.
    mutating func roll(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func choose<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}
