import Amalgam

let help = """
    usage: notes [FILE] add FOLDER TEXT | done ID | list | watch
    """

func show(_ content: [FolderContent]) {
    for item in content {
        print(item.folder.name)
        for note in item.notes { print("  \(note.isDone ? "x" : " ") \(note.id!) \(note.text)") }
    }
}

var arguments = Array(CommandLine.arguments.dropFirst())
let path = arguments.first?.hasSuffix(".sqlite") == true ? arguments.removeFirst() : "notes.sqlite"
let store = try Store(DatabasePool(path: path))

switch arguments.first {
case "add" where arguments.count == 3: try await store.add(arguments[2], to: arguments[1])
case "done" where arguments.count == 2:
    let isFinished = if let id = Int64(arguments[1]) { try await store.finish(id) } else { false }
    if !isFinished { print("There is no open note \(arguments[1]).") }
case "list" where arguments.count == 1: show(try await store.content())
case "watch" where arguments.count == 1:
    for try await content in store.contents() {
        show(content)
        print("--")
    }
default: print(help)
}
