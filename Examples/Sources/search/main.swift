import DocumentSearch
import Foundation

exit(Demo.run(arguments: Array(CommandLine.arguments.dropFirst()), on: .standard))
