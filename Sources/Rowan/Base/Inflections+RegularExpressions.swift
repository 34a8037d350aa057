// Rules of plurals and singulars with regular expressions.

#if FullFoundation
public import Foundation

extension Inflections {
    /// Adds a rule for plurals. The most recently added rule is tried first.
    ///
    /// ```swift
    /// Inflections.default.plural("^(kol)os$", "$1oi")   // kolos, koloi
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a regular expression matched against the last word of a name.
    ///   - options: the options of the regular expression; case-insensitive by default.
    ///   - template: the replacement for the match, with `$1` for the first group.
    /// - Precondition: the pattern is a valid regular expression.
    public mutating func plural(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        addPlural(Self.rule(pattern, options, template))
    }

    /// Adds a rule for singulars. The most recently added rule is tried first.
    ///
    /// - Parameters:
    ///   - pattern: a regular expression matched against the last word of a name.
    ///   - options: the options of the regular expression; case-insensitive by default.
    ///   - template: the replacement for the match, with `$1` for the first group.
    /// - Precondition: the pattern is a valid regular expression.
    public mutating func singular(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        addSingular(Self.rule(pattern, options, template))
    }

    private static func rule(
        _ pattern: String, _ options: NSRegularExpression.Options, _ template: String
    ) -> Rule {
        let expression: NSRegularExpression
        do {
            expression = try NSRegularExpression(pattern: pattern, options: options)
        } catch {
            preconditionFailure("the pattern \(pattern) of an inflection is not a regular expression: \(error)")
        }
        return { word in
            let range = NSRange(word.startIndex..., in: word)
            guard expression.firstMatch(in: word, range: range) != nil else { return nil }
            return expression.stringByReplacingMatches(in: word, range: range, withTemplate: template)
        }
    }
}
#endif
