// Accesses: what fetches and what writes.

import Foundation

func accesses1(_ db: Database, _ customer: Customer) throws {
    try Customer.filter { $0.isActive }.deleteAll(db)
    try Customer.filter { !$0.isActive && $0.balance == 0 }.deleteAll(db)
    try Customer.updateAll(db) { $0.isActive.set(to: false) }
    try Customer.updateAll(db) { [$0.isActive.set(to: false), $0.email.set(to: nil)] }
    try Customer.updateAll(db) { $0.balance += 1 }
    try Customer.updateAll(db) { [$0.balance -= 1, $0.name.set(to: "none")] }
    try Customer.updateAll(db) { $0.email.set(to: $0.name) }
    try Customer.updateAll(db) { $0.name.set(to: $0.name.lowercased) }
    try Order.filter { $0.isPaid }.updateAll(db) { $0.discount.set(to: $0.total / 10 + 1) }
    try Order.filter { $0.isPaid }.updateAll(db) { [$0.discount += $0.total / 10, $0.total *= 2] }
    try Order.updateAll(db, Order.Columns.total.set(to: 0))
    try Order.updateAll(db) { [$0.date.set(to: Date()), $0.payment.set(to: .cash), $0.total -= $0.discount] }
    try Order.order(\.total).limit(3).deleteAll(db)
    try customer.update(db, columns: [Customer.Columns.name])
    try customer.update(db, columns: [Customer.Columns.name, Customer.Columns.balance])
    _ = try customer.upsertAndFetch(
        db, onConflict: ["email"], doUpdate: { excluded in [Customer.Columns.balance.set(to: excluded.balance)] })
    _ = try customer.upsertAndFetch(db, onConflict: ["email"]) {
        [Customer.Columns.balance += $0.balance, Customer.Columns.name.noOverwrite]
    }
}

func accesses2(_ db: Database, _ customer: Customer, _ row: Row) throws {
    _ = try Customer.filter { $0.isActive }.order(\.name).fetchAll(db)
    _ = try Customer.filter { $0.isActive }.isEmpty(db)
    _ = try Customer.filter { $0.name == customer.name && $0.id != customer.id }.fetchCount(db)
    _ = try Customer.select(\.name, as: String.self).fetchSet(db)
    _ = try Customer.select({ max($0.balance) }, as: Double.self).fetchOne(db)
    _ = try Customer.filter { $0.balance > customer.balance }.select(\.name, as: String.self).fetchAll(db)
    _ = try customer.request(for: Customer.orders).filter { $0.isPaid }.order(\.date).fetchAll(db)
    _ = try customer.request(for: Customer.orders).filter { $0.date > Date() && $0.total > 10 }.fetchAll(db)
    try db.execute(literal: "UPDATE customer SET \(Customer.Columns.name) = \("Anna") WHERE id IN \([1, 2, 3])")
    _ = row[Customer.Columns.name]
    _ = row[Customer.Columns.balance] * 2 + 1
    _ = try row.decode(forColumn: Order.Columns.payment)
    let name: String? = row.coalesce([Customer.Columns.email, Customer.Columns.name])
    _ = name
    try db.create(index: "byName", on: "customer", expressions: [Customer.Columns.name.collating(.nocase)])
    try db.create(table: "t") { t in
        let (score, bonus) = (TypedColumn<Int>("score"), TypedColumn<Int?>("bonus"))
        t.column("total", .integer).generatedAs(score + bonus)
        t.check(score + bonus < 1000 && score > 0)
    }
}
