// What a macro needs from a type declaration: its attributes, modifiers and members, with the meaning of types and
// values as far as the source shows it.

/// A type declaration.
public struct StructModel: Equatable, Sendable {
    /// `struct`, `class`, `enum`, `actor`, or another word.
    public var keyword: String
    public var name: NameModel
    public var attributes: [AttributeModel] = []
    public var modifiers: [ModifierModel] = []
    /// The text of the generic parameters, without spaces; nil if there are none.
    public var genericParameters: String?
    public var inheritedTypes: [TypeModel] = []
    public var members: [MemberModel] = []
}

/// A name and its position in the source.
public struct NameModel: Equatable, Sendable {
    /// The name as written, possibly in backticks.
    public let text: String
    /// The offset of its first byte.
    public let offset: Int

    public init(_ text: String, at offset: Int) {
        self.text = text
        self.offset = offset
    }

    /// The name without backticks.
    public var plain: String { text.hasPrefix("`") ? String(text.dropFirst().dropLast()) : text }
}

/// `@Name(arguments)`
public struct AttributeModel: Equatable, Sendable {
    /// The name, without the module and without generic arguments.
    public var name: String
    /// The whole attribute, without spaces and comments.
    public var text: String
    /// The whole attribute as written, without comments.
    public var source: String
    public var arguments: [ArgumentModel] = []
    public var offset: Int
    /// The offset after its last byte.
    public var end: Int
    /// Whether the attribute, without its declaration, is inside `#if`.
    public var isConditional = false

    /// The argument with a label, or the first one without a label.
    public subscript(_ label: String?) -> ArgumentModel? { arguments.first { $0.label == label } }
}

/// An argument of an attribute.
public struct ArgumentModel: Equatable, Sendable {
    public var label: String?
    public var value: ValueModel
    public var offset: Int
}

/// `private`, `private(set)`, `static`
public struct ModifierModel: Equatable, Sendable {
    public let name: String
    /// The text in parentheses.
    public let detail: String?
}

/// A member of a type.
public struct MemberModel: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        /// `var a = 1, b: Int { 2 }`
        case properties(PropertiesModel)
        /// Any other declaration: its keyword, its name with the labels of a function, and the text of the parameters.
        case other(keyword: String, name: String, parameters: String)
    }

    public var attributes: [AttributeModel]
    public var modifiers: [ModifierModel]
    public var content: Content
    public var offset: Int
    /// Whether the member is inside `#if`.
    public var isConditional: Bool
}

/// `var` or `let` with its patterns.
public struct PropertiesModel: Equatable, Sendable {
    /// `var` or `let`.
    public var keyword: String
    public var keywordOffset: Int
    public var bindings: [BindingModel]
}

/// One pattern of a `var` or a `let`.
public struct BindingModel: Equatable, Sendable {
    /// The name. For a tuple, its text.
    public var name: NameModel
    public var isTuple: Bool
    /// The type; nil if it is inferred.
    public var type: TypeModel?
    /// The initial value.
    public var value: ValueModel?
    /// The words of the accessors, in order; nil without a block, empty for a getter without its word.
    public var accessors: [String]?

    /// Whether the property is stored: without accessors, or with only observers.
    public var isStored: Bool { accessors?.allSatisfy { $0 == "willSet" || $0 == "didSet" } ?? true && accessors != [] }
}
