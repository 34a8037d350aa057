import Foundation

func asynchronous(
    _ path: String, _ q: Bool, _ name: String, _ id: Int, _ maybe: Int?, _ names: [String]
) async throws -> Bool {
    let isOther = name != "x"
    let isKnown =
        !q || path == "a" || path == "b" || path == "c" || path == "d" || path == "e" || path == "f" || path == "g"
    let isUnknown =
        !q && path != "a" && path != "b" && path != "c" && path != "d" && path != "e" && path != "f" && path != "g"
    let isText = await text() == "x"
    let isNoText = await text() != "x"
    let isLoaded = try await load(id) != nil
    let hasName = try await load(id)?.name == name
    let hasOtherName = try await load(id)?.name != "x"
    let sum = try await (load(id)?.id ?? 0) + 1
    let title = try await (load(id)?.name ?? "none") + "!"
    async let first = text()
    async let second = text()
    let same = await first == second
    let isEither = await text() == "a" || q
    let strings = await [text(), text()].map { $0 != "x" }
    if try await load(id)?.price ?? 0 > 3, await text() != "y" { return false }
    guard try await load(id)?.parent == maybe, name != "x" else { return true }
    let task = Task { name != "x" }
    let isDone = await task.value
    let sums = try await withThrowingTaskGroup(of: Int.self) { group in
        for n in 0..<3 where n != 1 { group.addTask { (try await load(n)?.id ?? 0) + n } }
        return try await group.reduce(0, +)
    }
    let bools = await withTaskGroup(of: Bool.self) { group in
        for n in names { group.addTask { n != "x" && n != name } }
        return await group.reduce(true) { $0 && $1 }
    }
    let stream = AsyncStream<Int> { $0.finish() }
    let large = stream.filter { $0 > 3 && $0 != 7 }.map { $0 * 2 + 1 }
    let found = await stream.contains(3)
    let anyLarge = await stream.contains { $0 > 3 }
    let total = await stream.reduce(0) { $0 + $1 }
    let smallest = await stream.min() ?? 0
    for await n in large where n != 3 && n % 2 == 0 { _ = n + 1 }
    return isOther && isKnown && !isUnknown && isText && isNoText && isLoaded && hasName && hasOtherName && sum > 0
        && title != "x" && same && isEither && strings == [true] && isDone && sums != 3 && bools && found && anyLarge
        && total + smallest == 0
}

func closures(_ name: String, _ number: Int, _ items: [Item]) {
    let differs = { (text: String) in text != "x" }
    let adds = { (a: Int, b: Int) in a + b }
    let compares: (Item, Item) -> Bool = { $0.price < $1.price || $0.name != $1.name }
    let nested = { (limit: Int) in items.filter { $0.id < limit && $0.name != name } }
    let optional: (String?) -> Bool = { $0 != nil && $0 != "x" }
    let thrown: () throws -> Bool = { name != "x" }
    let later: @Sendable () async -> Bool = { await text() != "x" }
    let statements = { (text: String) -> Bool in
        let isEmpty = text == ""
        let isOther = text != name
        return isEmpty || isOther && number != 3
    }
    let curried = { (a: Int) in { (b: Int) in a * b + number } }
    let inferred = items.map { item in
        let label = item.name + ":"
        let isOther = item.name != "x"
        return isOther ? label + "\(item.price * 2)" : label
    }
    let lazily = items.lazy.filter { $0.id != number }.map { $0.price + 1 }.first ?? 0
    _ = (differs("x") != differs("y"), adds(1, 2) == 3, compares, nested(3).count, optional(nil), thrown, later)
    _ = (statements("x") && true, curried(2)(3) + 1, inferred, lazily)
    _ = { name != "x" }()
    _ = { $0 + 1 }(number)
    _ = { (a: String, b: String) in a != b && a != "x" }("a", "b")
    DispatchQueue.main.async { _ = name != "x" || number == 3 }
    _ = items.sorted(using: KeyPathComparator(\.name))
    _ = items.map(\.price).map { -$0 }.filter { $0 != 0 }
}

func builders(_ name: String, _ number: Int, _ names: [String]) -> [Any] {
    list {
        name != "x"
        name == "x"
        number + 1
        "a" + name
        "\(name != "x")"
        number == 3 || name != "y"
        !(name == "x")
        -number
        names.map { $0 != "x" }
        if name != "x" { number * 2 } else { number / 2 }
        if number == 3 && name != "y" { "three" }
        for n in names { n + "!" }
        names.contains(name)
        [1, 2].contains(number)
        number > 3 ? "large" : "small"
    }
}

struct Model: Comparable, Hashable {
    var text = "a" + "b"
    var isOther = "x" != "y"
    var sum = 1 + 2 * 3
    var list = ["x"].map { $0 != "x" }
    var flags = (1...3).map { $0 == 2 }
    lazy var late = text != "x"
    var computed: Bool { text != "x" && sum != 3 }
    var length: Int { text.count + sum * 2 }
    static let limit = 10 * 60 + 5
    static let isDebug = ProcessInfo.processInfo.environment["X"] != nil
    static let mode = ProcessInfo.processInfo.environment["X"] ?? "none" == "debug" ? 1 : 2
    static func < (lhs: Model, rhs: Model) -> Bool { lhs.text < rhs.text || lhs.sum < rhs.sum && lhs.text != rhs.text }
    static func == (lhs: Model, rhs: Model) -> Bool { lhs.text == rhs.text && lhs.sum == rhs.sum }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
    subscript(index: Int) -> Bool { list[index] != (flags.first ?? false) }
    func with(_ text: String = "a" + "b", isOther: Bool = "a" != "b", sum: Int = 1 + 2) -> Bool { text != self.text }
}

func generic<T: Equatable, C: Collection<Int>, N: Numeric & Comparable>(_ a: T, _ b: T, _ numbers: C, _ n: N) -> Bool {
    _ = a == b
    _ = a != b
    _ = [a].contains(b)
    _ = [a] != [b]
    _ = numbers.contains(3) || numbers.first != 4
    _ = numbers.map { $0 + 1 }.contains(number(3))
    _ = n * n + 1 > n
    _ = n == 0 || n < 10 && n != 5
    _ = Optional(a) == b
    _ = Optional(a) != nil
    return a != b && numbers.reduce(0, +) != 3
}

func number(_ n: Int) -> Int { -n + abs(n) - min(n, 3) }
