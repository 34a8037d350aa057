// The words of a command line: options with a value (`--id 1` or `--id=1`) and flags.

import RowanCluster
import RowanClusterTLS

/// The options and flags of a command line, by name.
struct Arguments {
    private var values: [String: String] = [:]

    /// - Parameters:
    ///   - words: the arguments after the names of the program and the command.
    ///   - options: the names of options with a value, without dashes.
    ///   - flags: the names of options without a value.
    /// - Throws: a `Failure` for an unknown word, a repeated option, or an option without its value.
    init(_ words: some Sequence<String>, options: Set<String>, flags: Set<String> = []) throws(Failure) {
        var words = words.makeIterator()
        while let word = words.next() {
            guard word.hasPrefix("--") else { throw .usage("'\(word)' is not an option") }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let value: String
            if flags.contains(name) {
                guard parts.count == 1 else { throw .usage("--\(name) has no value") }
                value = ""
            } else if options.contains(name) {
                guard let next = parts.count == 2 ? String(parts[1]) : words.next() else {
                    throw .usage("--\(name) needs a value")
                }
                value = next
            } else {
                throw .usage("unknown option --\(name)")
            }
            guard values.updateValue(value, forKey: name) == nil else { throw .usage("--\(name) is given twice") }
        }
    }

    func has(_ flag: String) -> Bool { values[flag] != nil }

    /// The value of an option.
    ///
    /// - Throws: a `Failure` if the value is empty.
    func text(_ name: String) throws(Failure) -> String? {
        guard let value = values[name] else { return nil }
        guard !value.isEmpty else { throw .usage("--\(name) needs a value") }
        return value
    }

    /// The value of a required option.
    ///
    /// - Throws: a `Failure` if it is missing or empty.
    func required(_ name: String) throws(Failure) -> String {
        guard let value = try text(name) else { throw .usage("--\(name) is missing") }
        return value
    }

    /// The value of an option that is an integer.
    ///
    /// - Throws: a `Failure` if the value is out of range or not a number.
    func number(_ name: String, in range: ClosedRange<UInt64>) throws(Failure) -> UInt64? {
        guard let text = try text(name) else { return nil }
        guard let number = UInt64(text), range.contains(number) else {
            let bounds = range.upperBound == .max ? "from \(range.lowerBound) on" : "in \(range)"
            throw .usage("--\(name) must be a whole number \(bounds), not '\(text)'")
        }
        return number
    }

    /// The options of the certificate, for all commands that connect to nodes.
    static let tlsOptions: Set<String> = ["certificate", "key", "ca"]

    /// The certificate; nil without one.
    ///
    /// - Throws: a `Failure` if only some of the options are given, or a file can't be read.
    func tls() throws(Failure) -> ClusterTLS? {
        let files = (try text("certificate"), try text("key"), try text("ca"))
        switch files {
        case (nil, nil, nil): return nil
        case (let certificate?, let key?, let ca?):
            do throws(ClusterTLSError) {
                return try ClusterTLS(certificate: certificate, key: key, authority: ca)
            } catch {
                throw Failure(error.description)
            }
        default: throw .usage("--certificate, --key and --ca belong together")
        }
    }

    /// The value of an option that is a comma-separated list of addresses.
    ///
    /// - Throws: a `Failure` if one of them isn't an address.
    func addresses(_ name: String) throws(Failure) -> [NodeAddress] {
        guard let text = try text(name) else { return [] }
        var addresses: [NodeAddress] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            addresses.append(try .parse(String(part)))
        }
        return addresses
    }
}
