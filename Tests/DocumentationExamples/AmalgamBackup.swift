import Amalgam
import Foundation

nonisolated(unsafe) var backup: DatabaseBackup! = nil
