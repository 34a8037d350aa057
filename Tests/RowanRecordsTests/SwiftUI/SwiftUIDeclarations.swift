// The declarations of SwiftUI that the example uses: it doesn't exist on Linux. Isolation is that of Apple's SDK.

protocol DynamicProperty {
    mutating func update()
}

@MainActor protocol View {
    associatedtype Body: View
    var body: Body { get }
}

@propertyWrapper struct State<Value>: DynamicProperty {
    /// Shared by all copies of a view, as SwiftUI's storage is.
    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage
    init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }

    func update() {}
}

protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

struct EnvironmentValues {
    /// The environment of all views of a test.
    @TaskLocal static var current = EnvironmentValues()
    private var values: [ObjectIdentifier: any Sendable] = [:]

    subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value where Key.Value: Sendable {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

@propertyWrapper struct Environment<Value>: DynamicProperty {
    private let keyPath: KeyPath<EnvironmentValues, Value>
    init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    var wrappedValue: Value { EnvironmentValues.current[keyPath: keyPath] }
    func update() {}
}

extension Never: View {
    typealias Body = Never
    var body: Never { fatalError("a primitive view has no body") }
}

struct Text: View {
    let text: String
    init(_ text: String) { self.text = text }
    var body: Never { fatalError("a primitive view has no body") }
}

struct List<Element: Identifiable>: View {
    let rows: [Text]
    init(_ elements: [Element], row: (Element) -> Text) { rows = elements.map(row) }
    var body: Never { fatalError("a primitive view has no body") }
}
