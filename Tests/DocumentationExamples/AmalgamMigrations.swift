import Amalgam
import Foundation
// The names that the examples of AmalgamMigrations use without declaring them. See Prelude.swift.

let before: [SchemaObject] = [], after: [SchemaObject] = []

// The migrators of the released versions of an application.
enum AppV1 { static let migrator = DatabaseMigrator() }
enum AppV2 { static let migrator = DatabaseMigrator() }
enum AppError: Error { case databaseIsTooNew }
