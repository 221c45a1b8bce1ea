// Other tables.

func associations1() {
    _ = Customer.including(required: Customer.city.filter { $0.population > 1000 })
    _ = Customer.including(
        required: Customer.city.filter { $0.countryCode == "FR" && $0.population > 1000 }.order(\.name))
    _ = Customer.including(all: Customer.orders.filter { $0.isPaid }.order(\.date.desc).forKey("paidOrders"))
    _ = Order.including(required: Order.customer.joining(required: Customer.city.filter { $0.countryCode == "FR" }))
    _ = Order.joining(required: Order.customer.filter { $0.isActive && $0.balance > 0 })
    _ = Customer.annotated(with: Customer.orders.count, Customer.orders.max(\.total))
    _ = Customer.annotated(with: Customer.orders.sum(\.total).forKey("revenue"))
    _ = Customer.annotated(with: Customer.orders.average(\.total), Customer.orders.min(\.date), Customer.lines.count)
    _ = Customer.annotated(with: (Customer.orders.sum(\.total) - Customer.orders.sum(\.discount)).forKey("net"))
    _ = Customer.annotated(with: Customer.orders.filter { $0.isPaid }.forKey("paid").count)
    _ = Customer.having(Customer.orders.count > 3 && Customer.orders.max(\.total) > 100)
    _ = Customer.having(Customer.orders.sum(\.total) > 100 || Customer.orders.isEmpty)
    _ = Customer.annotated(withRequired: Customer.city.select { $0.name.forKey("cityName") })
    _ = Customer.annotated(withOptional: Customer.city.select { [$0.name.forKey("cityName"), $0.countryCode] })
    _ = City.joining(required: City.customers.joining(required: Customer.orders.filter { $0.total > 100 })).distinct()
    _ = City.including(all: City.customers.select(\.name).forKey("names"))
    _ = Line.including(required: Line.order.filter { $0.isPaid && $0.total > 100 }.including(required: Order.customer))
}

func associations2() {
    let city = TableAlias<City>()
    let order = TableAlias<Order>()
    _ = Customer.joining(required: Customer.city.aliased(city)).filter(city.population > 1000)
    _ = Customer.joining(required: Customer.city.aliased(city)).filter { $0.isActive && city.countryCode == "FR" }
    _ = Customer.joining(required: Customer.city.aliased(city)).order { [city.name, $0.name] }
    _ = Customer.joining(required: Customer.city.aliased(city)).filter { city.name == $0.name && city.id == $0.cityId }
    _ = Customer.joining(optional: Customer.orders.aliased(order)).filter(order.total > 10 || !order.exists)
    _ = Customer.joining(optional: Customer.orders.aliased(order)).select { [$0.name, order[Order.Columns.total]] }
    let outer = TableAlias<Order>()
    let larger = Order.filter { $0.customerId == outer.customerId && $0.total > outer.total }
    _ = Order.all().aliased(outer).filter(!larger.exists())
    _ = ForeignKey([Order.Columns.customerId])
    _ = ForeignKey([Order.Columns.customerId, Order.Columns.date], to: [Customer.Columns.id, Customer.Columns.name])
}
