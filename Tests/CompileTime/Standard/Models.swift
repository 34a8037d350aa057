import Foundation

struct Item: Equatable, Hashable, Codable, Sendable {
    var id: Int
    var parent: Int?
    var name: String
    var nickname: String?
    var price: Double
    var rate: Double?
    var isNew: Bool
    var isOld: Bool?
    var date: Date
    var data: Data
    var uuid: UUID
    var tags: [String]
    var kind: Kind
    var level: Level
    var amount: Decimal
    var url: URL?
}

enum Kind: String, Codable, CaseIterable, Sendable { case small, large, huge }

enum Level: Int, Comparable, Codable, Sendable {
    case low, middle, high
    static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
}

enum Shape: Equatable { case point, circle(Double), box(width: Double, height: Double) }

final class Node { var next: Node?; var value = 0 }

struct Flags: OptionSet, Sendable {
    let rawValue: Int
    static let read = Flags(rawValue: 1)
    static let write = Flags(rawValue: 2)
    static let run = Flags(rawValue: 4)
}

@resultBuilder
struct ListBuilder {
    static func buildExpression<T>(_ value: T) -> [Any] { [value] }
    static func buildBlock(_ parts: [Any]...) -> [Any] { parts.flatMap { $0 } }
    static func buildOptional(_ part: [Any]?) -> [Any] { part ?? [] }
    static func buildEither(first part: [Any]) -> [Any] { part }
    static func buildEither(second part: [Any]) -> [Any] { part }
    static func buildArray(_ parts: [[Any]]) -> [Any] { parts.flatMap { $0 } }
}

func list(@ListBuilder _ content: () -> [Any]) -> [Any] { content() }
func use<T>(_ value: T) -> T { value }
func show(_ value: Any) -> String { "\(value)" }
func load(_ id: Int) async throws -> Item? { nil }
func text() async -> String { "" }
func check(_ condition: @autoclosure () -> Bool) -> Bool { condition() }
