// Compares the two descriptions of a source.

import RowanRecordSyntax
import SwiftParser
import SwiftSyntax

/// The compiler's description of a source that contains one struct; nil if the compiler rejects it.
func realDescription(_ source: String) -> [String]? {
    let file = Parser.parse(source: source)
    guard !file.hasError, file.statements.count == 1,
        let node = file.statements.first?.item.as(StructDeclSyntax.self)
    else { return nil }
    return RealDescription(node).lines
}

enum Outcome {
    case equal
    case refused(SyntaxError)
    /// The first line that differs.
    case different(real: String, own: String)
}

/// - Parameter change: breaks our model, to check that the comparison notices.
func compare(_ source: String, _ real: [String], changing change: (inout StructModel) -> Void = { _ in }) -> Outcome {
    do throws(SyntaxError) {
        var model = try StructModel(parsing: source)
        change(&model)
        let own = OwnDescription(model).lines
        guard own != real else { return .equal }
        let index = zip(own, real).prefix { $0 == $1 }.count
        return .different(
            real: index < real.count ? real[index] : "the end", own: index < own.count ? own[index] : "the end")
    } catch {
        return .refused(error)
    }
}
