// Makes an edit of schema.sql compile the files again that use #sql: the compiler does not know that they depend on it.

import Foundation
import PackagePlugin

/// Writes a source file that changes with the schemas of a target.
@main
struct RowanSchema: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let schemas = self.schemas(of: target.directoryURL)
        guard !schemas.isEmpty else {
            Diagnostics.error(
                "there is no 'schema.sql' in the folder of \(target.name), nor in one above: write it with "
                    + "DatabaseMigrator.writeSchema(to:)")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "SchemaStamp.swift")
        return [
            .buildCommand(
                displayName: "Looking at the schemas of \(target.name)",
                executable: try context.tool(named: "RowanSchemaStamp").url,
                arguments: [output.path] + schemas.map(\.path), inputFiles: schemas, outputFiles: [output])
        ]
    }

    /// The schemas that #sql finds for the files of a folder: in it, and the nearest one above.
    private func schemas(of folder: URL) -> [URL] {
        let name = "schema.sql"
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        var schemas = files.compactMap { $0 as? URL }.filter { $0.lastPathComponent == name }
        var parent = folder
        while parent.pathComponents.count > 1 {
            parent.deleteLastPathComponent()
            let file = parent.appending(path: name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            schemas.append(file)
            break
        }
        return schemas.sorted { $0.path < $1.path }
    }
}
