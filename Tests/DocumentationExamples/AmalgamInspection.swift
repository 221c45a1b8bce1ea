import Amalgam
import Foundation

nonisolated(unsafe) var plan: QueryPlan! = nil
nonisolated(unsafe) var report: IntegrityReport! = nil
