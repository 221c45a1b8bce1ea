// Records of a shop: what the requests next to this file are about. Nothing here runs: it is compiled only.

struct Customer: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var email: String?
    var cityId: Int64
    var isActive: Bool
    var balance: Double

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let email = Column(CodingKeys.email)
        static let cityId = Column(CodingKeys.cityId)
        static let isActive = Column(CodingKeys.isActive)
        static let balance = Column(CodingKeys.balance)
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
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let countryCode = Column(CodingKeys.countryCode)
        static let population = Column(CodingKeys.population)
    }

    static let customers = hasMany(Customer.self)
}

struct Card: Codable, FetchableRecord, PersistableRecord {
    var customerId: Int64
    var points: Int

    enum Columns {
        static let customerId = Column(CodingKeys.customerId)
        static let points = Column(CodingKeys.points)
    }

    static let customer = belongsTo(Customer.self)
}

struct Order: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var customerId: Int64
    var date: String
    var isPaid: Bool
    var total: Int
    var discount: Int

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let customerId = Column(CodingKeys.customerId)
        static let date = Column(CodingKeys.date)
        static let isPaid = Column(CodingKeys.isPaid)
        static let total = Column(CodingKeys.total)
        static let discount = Column(CodingKeys.discount)
    }

    static let customer = belongsTo(Customer.self)
    static let lines = hasMany(Line.self)
}

struct Line: Codable, FetchableRecord, PersistableRecord {
    var orderId: Int64
    var product: String
    var quantity: Int
    var price: Int

    enum Columns {
        static let orderId = Column(CodingKeys.orderId)
        static let product = Column(CodingKeys.product)
        static let quantity = Column(CodingKeys.quantity)
        static let price = Column(CodingKeys.price)
    }

    static let order = belongsTo(Order.self)
    static let customer = hasOne(Customer.self, through: order, using: Order.customer)
}

struct CustomerInfo: Decodable, FetchableRecord {
    var customer: Customer
    var city: City
    var orderCount: Int?
}
