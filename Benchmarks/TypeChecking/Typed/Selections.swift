// What is selected, its order and its groups.

func selections1() {
    _ = Customer.select(\.name)
    _ = Customer.select(\.name, as: String.self)
    _ = Customer.select { $0.name }
    _ = Customer.select { [$0.id, $0.name] }
    _ = Customer.select { [$0.id, $0.name, $0.email, $0.isActive] }
    _ = Customer.select { [$0.id, length($0.name).forKey("length")] }
    _ = Customer.select { max($0.balance) }
    _ = Customer.select({ sum($0.balance) }, as: Double.self)
    _ = Customer.select { [count($0.id), average($0.balance), min($0.name)] }
    _ = Customer.select { count(distinct: $0.name) }
    _ = Customer.select { (sum($0.balance) / count($0.id)).forKey("mean") }
    _ = Customer.select(.allColumns, Customer.Columns.id)
    _ = Customer.select(.allColumns(excluding: [Customer.Columns.balance]))
    _ = Customer.select(.allColumns(excluding: [Customer.Columns.balance, Customer.Columns.name]))
    _ = Customer.select(literal: "name, \(Customer.Columns.balance) * \(2)")
    _ = Customer.annotated { ($0.balance * 2).forKey("double") }
    _ = Customer.annotated { [($0.balance * 2).forKey("double"), length($0.name).forKey("length")] }
    _ = Customer.annotated(with: Customer.Columns.balance + 1)
    _ = Customer.select(\.name).distinct()
    _ = Customer.select { [$0.name, iif($0.isActive, then: $0.balance, else: 0).forKey("active")] }
    _ = Customer.select {
        SQLCase(when: $0.balance > 100, then: "gold").when($0.isActive, then: "silver").else($0.name)
    }
    _ = Customer.select { [$0.name, rank().over(partitionBy: $0.cityId, orderBy: $0.balance.desc)] }
    _ = Customer.select { [$0.name, $0.balance - lag($0.balance).over(orderBy: $0.id)] }
}

func selections2() {
    _ = Customer.order(\.name)
    _ = Customer.order(\.name.desc)
    _ = Customer.order { $0.name }
    _ = Customer.order { [$0.balance.desc, $0.name] }
    _ = Customer.order { [$0.balance.desc, $0.name.asc, $0.id] }
    _ = Customer.order { $0.email.ascNullsLast }
    _ = Customer.order { $0.name.collating(.nocase).desc }
    _ = Customer.order { length($0.name) }
    _ = Customer.order { abs($0.balance - 100) }
    _ = Customer.order { ($0.email ?? $0.name).desc }
    _ = Customer.order(Customer.Columns.name, Customer.Columns.id.desc)
    _ = Customer.order(\.name).reversed()
    _ = Customer.order(\.name).limit(10)
    _ = Customer.order(literal: "\(Customer.Columns.name) = \("Anna") DESC")
    _ = Customer.filter { $0.isActive }.order(\.name).limit(10)
    _ = Customer.filter { $0.isActive }.select(\.name).order(\.name).limit(10).distinct()
    _ = Customer.filter { $0.balance > 10 && $0.isActive }.order { [$0.balance.desc, $0.name] }.limit(10)
}

func selections3() {
    _ = Order.select { [$0.customerId, sum($0.total).forKey("sum")] }.group(\.customerId)
    _ = Order.select { [$0.customerId, sum($0.total - $0.discount).forKey("sum")] }.group(\.customerId).having {
        sum($0.total) > 100
    }
    _ = Order.all().group { [$0.customerId, $0.isPaid] }
    _ = Order.all().group(\.customerId).having { count($0.id) > 3 && max($0.total) < 1000 }
    _ = Order.all().group(\.customerId).having { (sum($0.total) ?? 0) > 100 && average($0.discount) > 2.5 }
    _ = Order.all().group { $0.total / 100 }
    _ = Order.select { [$0.id, ($0.total * 100 / ($0.discount + 1)).forKey("ratio")] }.order { $0.total.desc }
    _ = Order.select { average($0.total, filter: $0.isPaid) }
    _ = Order.select { count(filter: $0.isPaid && $0.total > 100) }
    _ = Order.select { total($0.total) }
    _ = Order.select { [$0.payment, count(), sum($0.total, filter: $0.discount > 0)] }.group(\.payment)
    _ = Order.select { [strftime("%Y-%m", $0.date), groupConcat($0.payment, separator: ", ")] }
        .group { strftime("%Y-%m", $0.date) }
}

func selections4() {
    _ = Line.select { [$0.product, $0.price * $0.quantity] }
    _ = Line.select { [$0.product, $0.tags] }
    _ = Line.select { [sum($0.price * $0.quantity), count(distinct: $0.product)] }
    _ = Line.order { [($0.price * $0.quantity).desc, $0.product] }
}
