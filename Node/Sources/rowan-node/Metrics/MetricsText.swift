// The text format of Prometheus, version 0.0.4.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/

/// Metrics as text.
struct MetricsText {
    enum Kind: String { case counter, gauge }

    private(set) var text = ""

    /// Adds a metric.
    ///
    /// - Parameters:
    ///   - name: without its prefix.
    ///   - samples: the labels and the value of each.
    mutating func add(
        _ name: String, _ kind: Kind, _ help: String,
        _ samples: [(labels: [(String, String)], value: some BinaryInteger)]
    ) {
        let name = "rowan_node_\(name)"
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
            text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)\n"
        }
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        add(name, kind, help, [([], value)])
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Bool) {
        add(name, kind, help, value ? 1 : 0)
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
