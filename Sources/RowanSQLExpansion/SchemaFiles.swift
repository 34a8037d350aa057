// The schema file: the nearest `schema.sql` above the source.

import Foundation

/// The opened schemas. Each is opened once while its file does not change.
final class SchemaFiles {
    enum Failure: Error, Equatable {
        case missing
        case unreadable(path: String, String)
        case invalid(path: String, SchemaError)
    }

    private struct Version: Equatable {
        let modified: Date?
        let size: Int?
    }

    static let fileName = "schema.sql"

    private var opened: [String: (Version, Result<SchemaDatabase, Failure>)] = [:]

    /// The schema of a source file.
    func schema(of source: String) throws(Failure) -> SchemaDatabase {
        guard let path = nearest(source) else { throw .missing }
        let version = version(path)
        if let known = opened[path], known.0 == version { return try known.1.get() }
        let result = Result { () throws(Failure) in try open(path) }
        opened[path] = (version, result)
        return try result.get()
    }

    private func nearest(_ source: String) -> String? {
        var folder = URL(fileURLWithPath: source).standardizedFileURL.deletingLastPathComponent()
        while true {
            let path = folder.appendingPathComponent(Self.fileName).path
            if FileManager.default.fileExists(atPath: path) { return path }
            guard folder.pathComponents.count > 1 else { return nil }
            folder.deleteLastPathComponent()
        }
    }

    private func version(_ path: String) -> Version {
        // A file that can't be examined can't be read either. Reading it reports why.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return Version(
            modified: attributes?[.modificationDate] as? Date, size: (attributes?[.size] as? NSNumber)?.intValue)
    }

    private func open(_ path: String) throws(Failure) -> SchemaDatabase {
        let text: String
        do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw .unreadable(path: path, error.localizedDescription)
        }
        do throws(SchemaError) { return try SchemaDatabase(text) } catch { throw .invalid(path: path, error) }
    }
}
