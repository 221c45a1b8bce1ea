// Wrong requests over typed columns, each below the compiler's first error. scripts/checks/type-errors compares them.

import Foundation

func comparisons(_ number: Double) {
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { $0.balance == "ten" }
    // error: '>' is unavailable: the operands have different types
    _ = Customer.filter { $0.name > 5 }
    // error: '==' is unavailable: the column isn't optional
    _ = Customer.filter { $0.balance == nil }
    // error: '!==' is unavailable: the column isn't optional
    _ = Customer.filter { $0.balance !== nil }
    // error: '<' is unavailable: the operands have different types
    _ = Customer.filter { "ten" < $0.balance }
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { $0.id == number }
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { $0.id == $0.name }
    // error: '>=' is unavailable: the operands have different types
    _ = Customer.filter { $0.id >= $0.balance }
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { $0.name.collating(.nocase) == 5 }
    // error: '!=' is unavailable: the operands have different types
    _ = Customer.filter(Customer.Columns.name != 5)
    // error: '>' is unavailable: the operands have different types
    _ = Order.filter { $0.date > "2026-01-01" }
    // error: '==' is unavailable: the operands have different types
    _ = Order.filter { $0.payment == "card" }
    // error: '==' is unavailable: the operands have different types
    _ = Line.filter { $0.tags == "new" }
    // error: 'contains' is unavailable: the column has values of a different type
    _ = Customer.filter { ["ten"].contains($0.id) }
}

func conditions(_ name: String) {
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { $0.balance > 10 && $0.name == 5 }
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { $0.id == "1" && $0.name == "Anna" && $0.isActive }
    // error: '>' is unavailable: the operands have different types
    _ = Customer.filter { $0.id > name && $0.name == name && $0.isActive == true }
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { ($0.balance > 10 || $0.balance == 5) && $0.email == 5 }
    // error: cannot convert value of type 'TypedColumn<Double>' to closure result type 'any SQLCondition'
    _ = Customer.filter { $0.balance }
    // error: type 'Customer.Columns' has no member 'balanse'
    _ = Customer.filter { $0.balanse > 10 }
}

func operators() {
    // error: '+' is unavailable: the operands have different types, or aren't numbers
    _ = Order.select { $0.total + "1" }
    // error: '??' is unavailable: the column isn't optional, or the operands have different types
    _ = Order.select { $0.payment ?? 5 }
    // error: referencing instance method 'like(_:escape:)' on 'TypedColumn' requires that 'Int' conform to 'SQLStringValue'
    _ = Order.select { $0.total.like("1%") }
    // error: 'sum(_:filter:)' is unavailable: the values of the column aren't numbers
    _ = Customer.select { sum($0.name) }
}

func functions() {
    // error: '>' is unavailable: the operands have different types
    _ = Order.select(\.id).having { max($0.total) > "ten" }
    // error: '<' is unavailable: the operands have different types
    _ = Order.select(\.id).having { min($0.date) < 10 }
    // error: '==' is unavailable: the operands have different types
    _ = Order.select(\.id).having { count($0.id) == "1" }
    // error: '>' is unavailable: the operands have different types
    _ = Order.select(\.id).having { sum($0.total) > "ten" && count() > 1 }
    // error: '>=' is unavailable: the operands have different types
    _ = Order.select(\.id).having { average($0.total) >= "ten" }
    // error: '>' is unavailable: the operands have different types
    _ = Order.select(\.id).having { total($0.total) > "ten" }
    // error: '>' is unavailable: the operands have different types
    _ = Customer.filter { length($0.name) > "10" }
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { $0.name.lowercased == 5 }
    // error: '>' is unavailable: the operands have different types
    _ = Customer.filter { abs($0.balance) > "ten" }
    // error: 'abs' is unavailable: the values of the column aren't numbers
    _ = Customer.filter { abs($0.name) > 10 }
    // error: '==' is unavailable: the operands have different types
    _ = Customer.filter { ($0.email ?? "none") == 5 }
}

func assignments(_ db: Database) throws {
    // error: 'set(to:)' is unavailable: the value has a different type
    try Order.updateAll(db) { $0.total.set(to: "x") }
    // error: 'set(to:)' is unavailable: the column isn't optional
    try Order.updateAll(db) { $0.total.set(to: nil) }
    // error: 'set(to:)' is unavailable: the value has a different type
    try Order.updateAll(db) { $0.total.set(to: $0.payment) }
    // error: '+=' is unavailable: the operands have different types, or aren't numbers
    try Order.updateAll(db) { $0.total += "x" }
    // error: 'set(to:)' is unavailable: the value has a different type
    try Order.updateAll(db) { [$0.total.set(to: 1), $0.date.set(to: "x")] }
}

func rows(_ row: Row) throws {
    // error: no exact matches in call to instance method 'decode'
    let name: String = try row.decode(forColumn: Customer.Columns.id)
    _ = name
}
