// Conditions.

func filters1() {
    _ = Customer.all()
    _ = Customer.filter { $0.id == 1 }
    _ = Customer.filter { $0.name == "Anna" }
    _ = Customer.filter { $0.name != "Anna" }
    _ = Customer.filter { $0.email == nil }
    _ = Customer.filter { $0.email != nil }
    _ = Customer.filter { $0.isActive }
    _ = Customer.filter { !$0.isActive }
    _ = Customer.filter { $0.isActive == true }
    _ = Customer.filter { $0.balance > 10 }
    _ = Customer.filter { $0.balance > 10.5 }
    _ = Customer.filter { $0.balance >= 10 && $0.balance <= 20 }
    _ = Customer.filter { $0.balance < 10 || $0.balance > 20 }
    _ = Customer.filter { $0.balance > 10 && $0.isActive && $0.email != nil }
    _ = Customer.filter { $0.balance > 10 && ($0.isActive || $0.email != nil) }
    _ = Customer.filter { !($0.balance > 10 && $0.isActive) }
}

func filters2() {
    _ = Customer.filter { [1, 2, 3].contains($0.id) }
    _ = Customer.filter { !["Anna", "Bob"].contains($0.name) }
    _ = Customer.filter { (10...20).contains($0.balance) }
    _ = Customer.filter { ("a"..<"m").contains($0.name) }
    _ = Customer.filter { $0.name.like("A%") }
    _ = Customer.filter { !$0.name.like("A%") }
    _ = Customer.filter { $0.name.like("10\\%", escape: "\\") }
    _ = Customer.filter { $0.name.lowercased == "anna" }
    _ = Customer.filter { $0.name.uppercased.like("A%") && $0.isActive }
    _ = Customer.filter { $0.name.collating(.nocase) == "anna" }
    _ = Customer.filter { $0.name.collating(.localizedCaseInsensitiveCompare) < "m" }
    _ = Customer.filter { length($0.name) > 3 }
    _ = Customer.filter { length($0.name) > 3 && length($0.name) < 10 }
    _ = Customer.filter { abs($0.balance) > 100 }
    _ = Customer.filter { ($0.email ?? "none") == "none" }
    _ = Customer.filter { coalesce([$0.email, $0.name]) == "Anna" }
}

func filters3() {
    _ = Order.filter { $0.total - $0.discount > 100 }
    _ = Order.filter { $0.total * 2 - $0.discount > 100 }
    _ = Order.filter { ($0.total - $0.discount) * 100 / $0.total < 50 }
    _ = Order.filter { $0.total + $0.discount == $0.id * 2 }
    _ = Order.filter { $0.total & 1 == 1 }
    _ = Order.filter { $0.total | $0.discount > 0 }
    _ = Order.filter { $0.total << 2 > 100 }
    _ = Order.filter { $0.total % 2 == 0 }
    _ = Order.filter { min($0.total, $0.discount) > 3 }
    _ = Order.filter { max($0.total, $0.discount, 5) > 3 }
    _ = Order.filter { cast($0.total, as: .real) / 3 > 1.5 }
    _ = Order.filter { dateTime($0.date, .day(1)) > "2026-01-01" }
    _ = Order.filter { julianDay($0.date) > 2_400_000 }
    _ = Order.filter { $0.isPaid && $0.total > 100 && $0.discount == 0 && $0.date > "2026" }
    _ = Order.filter { $0.isPaid || $0.total > 100 || $0.discount == 0 || $0.date > "2026" }
    _ = Order.filter { [$0.isPaid, $0.total > 100, $0.discount == 0].joined(operator: .and) }
}

func filters4() {
    _ = Order.filter { [$0.total, $0.discount, $0.id].joined(operator: .add) > 100 }
    _ = Order.filter { $0.customerId === 3 }
    _ = Order.filter(key: 1)
    _ = Order.filter(keys: [1, 2, 3])
    _ = Order.filter(id: 1)
    _ = Order.filter(ids: [1, 2, 3])
    _ = Order.filter(key: ["customerId": 1, "date": "2026-01-01"])
    _ = Order.filter(sql: "total > ?", arguments: [100])
    _ = Order.filter(literal: "total > \(100) AND discount < \(10)")
    _ = Order.filter(Column("total") > 100)
    _ = Order.filter(Column("total") > 100 && Column("discount") == nil)
    _ = Order.filter(Column("total") > Column("discount") * 2 + 1)
    _ = Order.none()
    _ = Line.filter { $0.quantity * $0.price > 100 && $0.quantity > 1 && $0.price < 50 }
    _ = Line.filter { Customer.select(\.id).contains($0.orderId) }
    _ = Line.filter { Order.filter { $0.total > 5 }.select(\.id).contains($0.orderId) }
}
