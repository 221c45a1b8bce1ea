import Foundation

/// The files that the service needs at run time. They are in a folder next to the program.
enum Resources {
    private static var folder: URL { Bundle.module.bundleURL.appending(path: "Resources") }

    static func url(_ path: String) -> URL { folder.appending(path: path) }
}
