import AmalgamCore

/// `"score" - 1`: a binary operator that isn't associative.
struct BinaryNode: CompositeNode {
    enum Operator: String {
        case subtract = " - "
        case divide = " / "
        case remainder = " % "
        case shiftLeft = " << "
        case shiftRight = " >> "
    }

    let left: any SQLNode
    let operation: Operator
    let right: any SQLNode

    init(_ left: any SQLNode, _ operation: Operator, _ right: any SQLNode) {
        self.left = left
        self.operation = operation
        self.right = right
    }

    var operands: [any SQLNode] { [left, right] }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: left)
        writer.append(operation.rawValue)
        try writer.append(operand: right)
    }
}
