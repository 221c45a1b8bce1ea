// What is selected, its order and its groups.

func selections1() {
    _ = Customer.select(\.name)
    _ = Customer.select(\.name, as: String.self)
    _ = Customer.select { $0.name }
    _ = Customer.select { [$0.id, $0.name] }
    _ = Customer.select { [$0.id, length($0.name).forKey("length")] }
    _ = Customer.select { max($0.balance) }
    _ = Customer.select({ sum($0.balance) }, as: Double.self)
    _ = Customer.select { [count($0.id), average($0.balance), min($0.name)] }
    _ = Customer.select { count(distinct: $0.name) }
    _ = Customer.select { (sum($0.balance) / count($0.id)).forKey("mean") }
    _ = Customer.select(.allColumns, .rowID)
    _ = Customer.select(.allColumns(excluding: ["balance"]))
    _ = Customer.select(sql: "name, balance * ?", arguments: [2])
    _ = Customer.select(literal: "name, balance * \(2)")
    _ = Customer.selectPrimaryKey(as: Int64.self)
    _ = Customer.annotated { ($0.balance * 2).forKey("double") }
}

func selections2() {
    _ = Customer.annotated { [($0.balance * 2).forKey("double"), length($0.name).forKey("length")] }
    _ = Customer.annotated(with: Column("balance") + 1)
    _ = Customer.select(\.name).distinct()
    _ = Customer.order(\.name)
    _ = Customer.order(\.name.desc)
    _ = Customer.order { $0.name }
    _ = Customer.order { [$0.balance.desc, $0.name] }
    _ = Customer.order { [$0.balance.desc, $0.name.asc, $0.id] }
    _ = Customer.order { $0.email.ascNullsLast }
    _ = Customer.order { $0.name.collating(.nocase).desc }
    _ = Customer.order { length($0.name) }
    _ = Customer.order { abs($0.balance - 100) }
    _ = Customer.orderByPrimaryKey()
    _ = Customer.order(\.name).reversed()
    _ = Customer.order(\.name).limit(10)
    _ = Customer.order(\.name).limit(10, offset: 20)
}

func selections3() {
    _ = Customer.order(sql: "name COLLATE NOCASE DESC")
    _ = Customer.order(literal: "name = \("Anna") DESC")
    _ = Customer.filter { $0.isActive }.order(\.name).limit(10)
    _ = Customer.filter { $0.isActive }.select(\.name).order(\.name).limit(10).distinct()
    _ = Order.select { [$0.customerId, sum($0.total).forKey("sum")] }.group(\.customerId)
    _ = Order.select { [$0.customerId, sum($0.total - $0.discount).forKey("sum")] }.group(\.customerId).having {
        sum($0.total) > 100
    }
    _ = Order.all().group { [$0.customerId, $0.isPaid] }
    _ = Order.all().group(\.customerId).having { count($0.id) > 3 && max($0.total) < 1000 }
    _ = Order.all().group { $0.total / 100 }
    _ = Order.select { [$0.id, ($0.total * 100 / ($0.discount + 1)).forKey("ratio")] }.order { $0.total.desc }
    _ = Order.select { average($0.total, filter: $0.isPaid) }
    _ = Order.select { total($0.total) }
    _ = Order.all().groupByPrimaryKey()
}
