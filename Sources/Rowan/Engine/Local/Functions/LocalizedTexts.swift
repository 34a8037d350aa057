// Text functions and collations that need Foundation's knowledge of languages. All connections have them, because schemas
// may name them.

#if FullFoundation
import Foundation
import RowanSQLText

extension DatabaseFunction {
    /// Foundation's `localizedCapitalized`.
    public static let localizedCapitalize = DatabaseFunction(.localizedCapitalize) { $0.localizedCapitalized }
    /// Foundation's `localizedLowercase`.
    public static let localizedLowercase = DatabaseFunction(.localizedLowercase) { $0.localizedLowercase }
    /// Foundation's `localizedUppercase`.
    public static let localizedUppercase = DatabaseFunction(.localizedUppercase) { $0.localizedUppercase }
}

extension SQLSpecificExpressible {
    /// Foundation's `localizedCapitalized`.
    public var localizedCapitalized: SQLExpression { DatabaseFunction.localizedCapitalize(self) }
    /// Foundation's `localizedLowercase`.
    public var localizedLowercased: SQLExpression { DatabaseFunction.localizedLowercase(self) }
    /// Foundation's `localizedUppercase`.
    public var localizedUppercased: SQLExpression { DatabaseFunction.localizedUppercase(self) }
}

extension DatabaseCollation {
    /// Compares case-insensitively.
    public static let caseInsensitiveCompare = DatabaseCollation(.caseInsensitiveCompare) {
        $0.caseInsensitiveCompare($1)
    }
    /// Compares case-insensitively in the current locale.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation(.localizedCaseInsensitiveCompare) {
        $0.localizedCaseInsensitiveCompare($1)
    }
    /// Compares in the current locale.
    public static let localizedCompare = DatabaseCollation(.localizedCompare) { $0.localizedCompare($1) }
    /// Compares as file managers sort file names, in the current locale.
    public static let localizedStandardCompare = DatabaseCollation(.localizedStandardCompare) {
        $0.localizedStandardCompare($1)
    }
}

extension DatabaseFunction {
    static let localized: [DatabaseFunction] = [.localizedCapitalize, .localizedLowercase, .localizedUppercase]
}

extension DatabaseCollation {
    static let localized: [DatabaseCollation] = [
        .caseInsensitiveCompare, .localizedCaseInsensitiveCompare, .localizedCompare, .localizedStandardCompare,
    ]
}
#else
extension DatabaseFunction {
    static let localized: [DatabaseFunction] = []
}

extension DatabaseCollation {
    static let localized: [DatabaseCollation] = []
}
#endif
