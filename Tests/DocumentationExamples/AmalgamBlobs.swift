import Amalgam
import Foundation

nonisolated(unsafe) var blob: DatabaseBlob! = nil
