import DocumentSearch
import Foundation

exit(await Demo.run(arguments: Array(CommandLine.arguments.dropFirst()), on: .standard))
