// Other tables.

func associations1() {
    _ = Customer.including(required: Customer.city)
    _ = Customer.including(optional: Customer.city)
    _ = Customer.including(all: Customer.orders)
    _ = Customer.joining(required: Customer.city)
    _ = Customer.joining(optional: Customer.orders)
    _ = Customer.including(required: Customer.city.filter { $0.population > 1000 })
    _ = Customer.including(
        required: Customer.city.filter { $0.countryCode == "FR" && $0.population > 1000 }.order(\.name))
    _ = Customer.including(required: Customer.city).including(all: Customer.orders)
    _ = Customer.including(all: Customer.orders.including(all: Order.lines))
    _ = Customer.including(all: Customer.orders.filter { $0.isPaid }.order(\.date.desc).forKey("paidOrders"))
    _ = Customer.including(all: Customer.lines)
    _ = Customer.including(optional: Customer.card)
    _ = Order.including(required: Order.customer.including(required: Customer.city))
    _ = Order.including(required: Order.customer.joining(required: Customer.city.filter { $0.countryCode == "FR" }))
    _ = Order.joining(required: Order.customer.filter { $0.isActive && $0.balance > 0 })
    _ = Line.including(required: Line.customer)
}

func associations2() {
    _ = Line.including(required: Line.order.including(required: Order.customer.including(optional: Customer.city)))
    _ = Customer.annotated(with: Customer.orders.count)
    _ = Customer.annotated(with: Customer.orders.count, Customer.orders.max(\.total))
    _ = Customer.annotated(with: Customer.orders.sum(\.total).forKey("revenue"))
    _ = Customer.annotated(with: Customer.orders.average(\.total), Customer.orders.min(\.date), Customer.lines.count)
    _ = Customer.annotated(with: (Customer.orders.sum(\.total) - Customer.orders.sum(\.discount)).forKey("net"))
    _ = Customer.annotated(with: Customer.orders.filter { $0.isPaid }.forKey("paid").count)
    _ = Customer.having(Customer.orders.isEmpty)
    _ = Customer.having(!Customer.orders.isEmpty)
    _ = Customer.having(Customer.orders.count > 3)
    _ = Customer.having(Customer.orders.count > 3 && Customer.orders.max(\.total) > 100)
    _ = Customer.having(Customer.orders.count == Customer.lines.count)
    _ = Customer.having(Customer.orders.sum(\.total) > 100 || Customer.orders.isEmpty)
    _ = Customer.annotated(withRequired: Customer.city.select { $0.name.forKey("cityName") })
    _ = Customer.annotated(withOptional: Customer.city.select { [$0.name.forKey("cityName"), $0.countryCode] })
    _ = Customer.including(required: Customer.city).asRequest(of: CustomerInfo.self)
}

func associations3() {
    _ = Customer.including(required: Customer.city).annotated(with: Customer.orders.count).asRequest(
        of: CustomerInfo.self)
    _ = City.including(all: City.customers.including(all: Customer.orders.including(all: Order.lines)))
    _ = City.annotated(with: City.customers.count).order(\.name).limit(10)
    _ = City.joining(required: City.customers.joining(required: Customer.orders.filter { $0.total > 100 })).distinct()
    _ = Order.joining(required: Order.customer.aliased(TableAlias(name: "c"))).filter(sql: "c.balance > 10")
    _ = City.including(all: City.customers.select(\.name).forKey("names"))
}
