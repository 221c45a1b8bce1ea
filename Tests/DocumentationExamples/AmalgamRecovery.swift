import Amalgam
import Foundation

let newPath = ""
nonisolated(unsafe) var stopButtonWasPressed = false
