import Amalgam
import Foundation

nonisolated(unsafe) var plan: QueryPlan! = nil
