// Conditions.

import Foundation

func filters1() {
    _ = Customer.filter { $0.id == 1 }
    _ = Customer.filter { $0.name == "Anna" }
    _ = Customer.filter { $0.name != "Anna" }
    _ = Customer.filter { $0.email == nil }
    _ = Customer.filter { $0.email != nil }
    _ = Customer.filter { $0.isActive }
    _ = Customer.filter(\.isActive)
    _ = Customer.filter { !$0.isActive }
    _ = Customer.filter { $0.isActive == true }
    _ = Customer.filter { $0.balance > 10 }
    _ = Customer.filter { $0.balance > 10.5 }
    _ = Customer.filter { $0.balance >= 10 && $0.balance <= 20 }
    _ = Customer.filter { $0.balance < 10 || $0.balance > 20 }
    _ = Customer.filter { $0.balance > 10 && $0.isActive && $0.email != nil }
    _ = Customer.filter { $0.balance > 10 && ($0.isActive || $0.email != nil) }
    _ = Customer.filter { !($0.balance > 10 && $0.isActive) }
    _ = Customer.filter { $0.isActive && $0.name == "Anna" && $0.balance > 10 && $0.email != nil && $0.cityId == 1 }
    _ = Customer.filter { ($0.name == "Anna" || $0.name == "Bob") && ($0.balance > 10 || $0.balance < 5) }
    _ = Customer.filter { $0.name == "Anna" || $0.name == "Bob" || $0.name == "Cleo" || $0.name == "Dan" }
    _ = Customer.filter { "Anna" == $0.name && 10 < $0.balance }
}

func filters2(_ id: Int64, _ cityId: Int64?, _ name: String, _ email: String?) {
    _ = Customer.filter { $0.id == id }
    _ = Customer.filter { $0.cityId == cityId }
    _ = Customer.filter { $0.name == name && $0.email == email }
    _ = Customer.filter { $0.id != id && $0.cityId == cityId && $0.email === email }
    _ = Customer.filter { [1, 2, 3].contains($0.id) }
    _ = Customer.filter { !["Anna", "Bob"].contains($0.name) }
    _ = Customer.filter { ["a@example.com", "b@example.com"].contains($0.email) && $0.isActive }
    _ = Customer.filter { (10...20).contains($0.balance) }
    _ = Customer.filter { ("a"..<"m").contains($0.name) }
    _ = Customer.filter { (10...).contains($0.balance) && !("a"..."m").contains($0.email) }
    _ = Customer.filter { $0.name.like("A%") }
    _ = Customer.filter { !$0.name.like("A%") }
    _ = Customer.filter { $0.name.like("10\\%", escape: "\\") }
    _ = Customer.filter { $0.name.lowercased == "anna" }
    _ = Customer.filter { $0.name.uppercased.like("A%") && $0.isActive }
    _ = Customer.filter { $0.name.collating(.nocase) == "anna" }
    _ = Customer.filter { $0.name.collating(.localizedCaseInsensitiveCompare) < "m" }
    _ = Customer.filter { $0.name.collating(.nocase) == "anna" || $0.email.collating(.nocase) == "anna@example.com" }
    _ = Customer.filter { length($0.name) > 3 }
    _ = Customer.filter { length($0.name) > 3 && length($0.name) < 10 }
    _ = Customer.filter { abs($0.balance) > 100 }
    _ = Customer.filter { ($0.email ?? "none") == "none" }
    _ = Customer.filter { ($0.email ?? $0.name) == "Anna" }
    _ = Customer.filter { coalesce([$0.email, $0.name]) == "Anna" }
    _ = Customer.filter { $0.email == $0.name }
}

func filters3() {
    _ = Order.filter { $0.total - $0.discount > 100 }
    _ = Order.filter { $0.total * 2 - $0.discount > 100 }
    _ = Order.filter { ($0.total - $0.discount) * 100 / $0.total < 50 }
    _ = Order.filter { $0.total + $0.discount == $0.id * 2 }
    _ = Order.filter { $0.total > $0.discount }
    _ = Order.filter { $0.total > $0.discount * 2 + 1 }
    _ = Order.filter { $0.total & 1 == 1 }
    _ = Order.filter { $0.total | $0.discount > 0 }
    _ = Order.filter { $0.total << 2 > 100 }
    _ = Order.filter { $0.total % 2 == 0 }
    _ = Order.filter { -$0.total < -100 }
    _ = Order.filter { min($0.total, $0.discount) > 3 }
    _ = Order.filter { max($0.total, $0.discount, 5) > 3 }
    _ = Order.filter { cast($0.total, as: .real) / 3 > 1.5 }
    _ = Order.filter { $0.payment == .card }
    _ = Order.filter { $0.payment != .cash && $0.payment != nil }
    _ = Order.filter { [.card, .cash].contains($0.payment) && $0.isPaid }
    _ = Order.filter { $0.date > Date(timeIntervalSince1970: 0) }
    _ = Order.filter { $0.date >= Date.distantPast && $0.date < Date() && $0.isPaid }
    _ = Order.filter { dateTime($0.date, .day(1)) > "2026-01-01" }
    _ = Order.filter { julianDay($0.date) > 2_400_000 }
    _ = Order.filter { $0.isPaid && $0.total > 100 && $0.discount == 0 && $0.date > Date.distantPast }
    _ = Order.filter { $0.isPaid || $0.total > 100 || $0.discount == 0 || $0.date > Date.distantPast }
    _ = Order.filter { [$0.isPaid, $0.total > 100, $0.discount == 0].joined(operator: .and) }
    _ = Order.filter { ($0.isPaid && $0.total > 100) || (!$0.isPaid && $0.total < 10) || $0.discount != 0 }
}

func filters4() {
    _ = Order.filter { [$0.total, $0.discount].joined(operator: .add) > 100 }
    _ = Order.filter { $0.customerId === 3 }
    _ = Order.filter(key: 1)
    _ = Order.filter(keys: [1, 2, 3])
    _ = Order.filter(id: 1)
    _ = Order.filter(ids: [1, 2, 3])
    _ = Order.filter(literal: "total > \(100) AND \(Order.Columns.discount) < \(10)")
    _ = Order.filter(Order.Columns.total > 100)
    _ = Order.filter(Order.Columns.total > 100 && Order.Columns.payment == nil)
    _ = Order.filter(Order.Columns.total > Order.Columns.discount * 2 + 1)
    _ = Order.filter(Order.Columns.isPaid)
    _ = Order.filter { $0.total == Column("discount") }
    _ = Order.filter { $0.total.untyped > 10.5 }
    _ = Line.filter { $0.quantity * $0.price > 100 && $0.quantity > 1 && $0.price < 50 }
    _ = Line.filter { Customer.select(\.id).contains($0.orderId) }
    _ = Line.filter { Order.filter { $0.total > 5 }.select(\.id).contains($0.orderId) }
    _ = Line.filter { $0.price == Line.select { max($0.price) } }
    _ = Line.filter { $0.tags.untyped.asJSON[0] == "new" }
    _ = Line.filter { ($0.price * $0.quantity) / 100 > 3 || $0.price % 10 == 0 }
    _ = Line.filter { SQLRowValue($0.product, $0.price) == SQLRowValue("Pen", 3) }
}
