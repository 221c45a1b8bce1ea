// Accesses: what fetches and what writes.

func accesses1(_ db: Database, _ customer: Customer) throws {
    try Customer.filter { $0.isActive }.deleteAll(db)
    try Customer.deleteAll(db)
    try Customer.deleteOne(db, key: 1)
    try Customer.deleteAll(db, keys: [1, 2])
    try Customer.deleteOne(db, id: 1)
    try Customer.updateAll(db) { $0.isActive.set(to: false) }
    try Customer.updateAll(db) { [$0.isActive.set(to: false), $0.email.set(to: nil)] }
    try Customer.updateAll(db) { $0.balance += 1 }
    try Customer.updateAll(db) { [$0.balance -= 1, $0.name.set(to: "none")] }
    try Order.filter { $0.isPaid }.updateAll(db) { $0.discount.set(to: $0.total / 10 + 1) }
    try Order.filter { $0.isPaid }.updateAll(db) { [$0.discount += $0.total / 10, $0.total *= 2] }
    try Order.updateAll(db, Column("total").set(to: 0))
    try Order.order(\.total).limit(3).deleteAll(db)
    try customer.insert(db)
}

func accesses2(_ db: Database, _ customer: Customer) throws {
    try customer.update(db)
    try customer.update(db, columns: ["name", "email"])
    try customer.update(db, columns: [Customer.Columns.name, Customer.Columns.email])
    try customer.save(db)
    try customer.upsert(db)
    try customer.delete(db)
    _ = try customer.insertAndFetch(db)
    _ = try customer.upsertAndFetch(db, onConflict: ["email"])
    _ = try customer.upsertAndFetch(
        db, onConflict: ["email"], doUpdate: { excluded in [Column("balance").set(to: excluded["balance"])] })
    _ = try customer.exists(db)
    _ = try customer.updateChanges(db, from: customer)
    _ = try Customer.fetchAll(db)
    _ = try Customer.fetchOne(db, key: 1)
    _ = try Customer.fetchOne(db, id: 1)
}

func accesses3(_ db: Database, _ customer: Customer) throws {
    _ = try Customer.find(db, id: 1)
    _ = try Customer.fetchCount(db)
    _ = try Customer.exists(db, key: 1)
    _ = try Customer.fetchAll(
        db, sql: "SELECT * FROM customer WHERE balance > ? AND name = ?", arguments: [10, "Anna"])
    _ = try Customer.fetchAll(db, keys: [1, 2, 3])
    _ = try Customer.fetchAll(db, ids: [1, 2, 3])
    _ = try Customer.filter { $0.isActive }.order(\.name).fetchAll(db)
    _ = try Customer.filter { $0.isActive }.isEmpty(db)
    _ = try Customer.select(\.name, as: String.self).fetchSet(db)
    _ = try Customer.select({ max($0.balance) }, as: Double.self).fetchOne(db)
    _ = try customer.request(for: Customer.orders).filter { $0.isPaid }.order(\.date).fetchAll(db)
    _ = try customer.request(for: Customer.city).fetchOne(db)
    try db.execute(sql: "UPDATE customer SET name = ? WHERE id = ?", arguments: ["Anna", 1])
    try db.execute(literal: "UPDATE customer SET name = \("Anna") WHERE id IN \([1, 2, 3])")
}
