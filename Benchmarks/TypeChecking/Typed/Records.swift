// The records of the folder above, with typed columns. Nothing here runs: it is compiled only.

import Foundation

enum Payment: String, Codable, DatabaseValueConvertible { case card, cash }

struct Customer: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var email: String?
    var cityId: Int64
    var isActive: Bool
    var balance: Double

    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id)
        static let name = TypedColumn<String>(CodingKeys.name)
        static let email = TypedColumn<String?>(CodingKeys.email)
        static let cityId = TypedColumn<Int64>(CodingKeys.cityId)
        static let isActive = TypedColumn<Bool>(CodingKeys.isActive)
        static let balance = TypedColumn<Double>(CodingKeys.balance)
    }

    static let city = belongsTo(City.self)
    static let orders = hasMany(Order.self)
    static let lines = hasMany(Line.self, through: orders, using: Order.lines)
    static let card = hasOne(Card.self)
}

struct City: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var countryCode: String
    var population: Int

    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id)
        static let name = TypedColumn<String>(CodingKeys.name)
        static let countryCode = TypedColumn<String>(CodingKeys.countryCode)
        static let population = TypedColumn<Int>(CodingKeys.population)
    }

    static let customers = hasMany(Customer.self)
}

struct Card: Codable, FetchableRecord, PersistableRecord {
    var customerId: Int64
    var points: Int

    enum Columns {
        static let customerId = TypedColumn<Int64>(CodingKeys.customerId)
        static let points = TypedColumn<Int>(CodingKeys.points)
    }

    static let customer = belongsTo(Customer.self)
}

struct Order: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var customerId: Int64
    var date: Date
    var payment: Payment?
    var isPaid: Bool
    var total: Int
    var discount: Int

    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id)
        static let customerId = TypedColumn<Int64>(CodingKeys.customerId)
        static let date = TypedColumn<Date>(CodingKeys.date)
        static let payment = TypedColumn<Payment?>(CodingKeys.payment)
        static let isPaid = TypedColumn<Bool>(CodingKeys.isPaid)
        static let total = TypedColumn<Int>(CodingKeys.total)
        static let discount = TypedColumn<Int>(CodingKeys.discount)
    }

    static let customer = belongsTo(Customer.self)
    static let lines = hasMany(Line.self)
}

struct Line: Codable, FetchableRecord, PersistableRecord {
    var orderId: Int64
    var product: String
    var quantity: Int
    var price: Int
    var tags: [String]

    enum Columns {
        static let orderId = TypedColumn<Int64>(CodingKeys.orderId)
        static let product = TypedColumn<String>(CodingKeys.product)
        static let quantity = TypedColumn<Int>(CodingKeys.quantity)
        static let price = TypedColumn<Int>(CodingKeys.price)
        static let tags = TypedColumn<[String]>(CodingKeys.tags)
    }

    static let order = belongsTo(Order.self)
    static let customer = hasOne(Customer.self, through: order, using: Order.customer)
}

struct CustomerInfo: Decodable, FetchableRecord {
    var customer: Customer
    var city: City
    var orderCount: Int?
}
