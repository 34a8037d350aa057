// Breaks our model on purpose, to show that the comparison can fail.

import RowanRecordSyntax

/// Whether the comparison reports every break, and nothing for the intact model.
func selfTest() -> Bool {
    let source = """
        struct Note {
            @Column("title") var title: String
            var a = 1, b: Int?
            #if DEBUG
            let mark = true
            #endif
        }
        """
    let breaks: [(name: String, change: (inout StructModel) -> Void)] = [
        ("drops a member", { $0.members.removeLast() }),
        ("drops an attribute", { $0.members[0].attributes = [] }),
        ("changes a type", { $0.changeProperties(1) { $0.bindings[1].type = $0.bindings[0].type } }),
        ("forgets #if", { $0.members[2].isConditional = false }),
        ("merges two bindings", { $0.changeProperties(1) { $0.bindings.removeFirst() } }),
    ]
    guard let real = realDescription(source), case .equal = compare(source, real) else {
        print("self-test: the unbroken model is not equal")
        return false
    }
    var isGood = true
    for (name, change) in breaks {
        if case .different(let line, let own) = compare(source, real, changing: change) {
            print("self-test: a parser that \(name) is noticed: '\(own)' instead of '\(line)'")
        } else {
            print("self-test: a parser that \(name) is NOT noticed")
            isGood = false
        }
    }
    return isGood
}

extension StructModel {
    mutating func changeProperties(_ index: Int, _ change: (inout PropertiesModel) -> Void) {
        guard case .properties(var properties) = members[index].content else { return }
        change(&properties)
        members[index].content = .properties(properties)
    }
}
