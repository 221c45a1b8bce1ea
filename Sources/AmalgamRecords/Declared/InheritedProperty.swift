/// A stored property of a record's superclass. The macro sees the properties of the class only.
struct InheritedProperty {
    let name: String
    let superclass: String

    /// Returns the stored properties that an object inherits.
    static func properties(of object: AnyObject) -> [InheritedProperty] {
        sequence(first: Mirror(reflecting: object)) { $0.superclassMirror }.dropFirst().flatMap { mirror in
            mirror.children.compactMap { child in
                child.label.map { InheritedProperty(name: $0, superclass: "\(mirror.subjectType)") }
            }
        }
    }
}
