/// A random program: what it opens, and its steps.
package struct Program: Codable, Sendable {
    var options: World.Options
    package var steps: [Step]
}

extension Program {
    /// Draws a program from a seed.
    package init(seed: UInt64, length: Int = 30) {
        var draw = Draw(seed: seed)
        options = World.Options(
            isPool: draw.chance(65), isSecondPool: draw.chance(50), firesTriggers: draw.chance(70),
            isWAL: draw.chance(80))
        // An audit of all tables, of some, or none.
        if draw.chance(60) {
            let all = Schema.tables.filter { !$0.isVirtual }.map(\.name)
            options.audited = draw.chance(50) ? all : all.filter { _ in draw.chance(50) }
        }
        // Half of the programs are about a few tables, so that their statements meet.
        var names = Schema.tables.filter(\.isWritten).map(\.name)
        if draw.chance(50) {
            names = draw.list(2...4) { $0.pick(names) }
            if names.contains("child") { names.append("parent") }
        }
        var maker = StepMaker(draw: draw, tables: names, firesTriggers: options.firesTriggers)
        steps = (0..<3).map { _ in maker.filling() } + (0..<length).map { _ in maker.step() }
    }
}
